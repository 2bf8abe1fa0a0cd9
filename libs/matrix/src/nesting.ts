/** Maximum levels of lists and objects. Deeper nesting overflows the stack of JSON.stringify; real payloads have fewer than 20. */
export const MAX_DEPTH = 100;

/**
 * True when lists and objects are nested in more than `maxDepth` levels; the value itself is the first level. The recursion
 * ends at that depth, so that no value overflows the stack.
 */
export function isTooDeep(value: unknown, maxDepth = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (maxDepth === 0) return true;
  // A megabyte may have half a million nodes, so that one allocation per node decides the cost of this function.
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const item of items) if (isTooDeep(item, maxDepth - 1)) return true;
  return false;
}
