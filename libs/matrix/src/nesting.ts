/** Levels of lists and objects; deeper nesting overflows the stack of whoever writes the value as JSON. Real payloads stay under 20. */
export const DEEPEST = 100;

/**
 * Whether lists and objects are nested in more than `most` levels, the value's own being the first. It looks no deeper
 * itself, so that no nesting overflows its own stack.
 */
export function isTooDeep(value: unknown, most = DEEPEST): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (most === 0) return true;
  // A megabyte may hold half a million nodes: what is made anew for each of them is what this costs.
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const item of items) if (isTooDeep(item, most - 1)) return true;
  return false;
}
