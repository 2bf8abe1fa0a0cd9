/** Levels of lists and objects; deeper nesting overflows the stack of whoever writes the value as JSON. Real payloads stay under 20. */
export const DEEPEST = 100;

/** Whether a value is nested deeper than `DEEPEST`. It looks no deeper itself, so that no nesting overflows its own stack. */
export function isTooDeep(value: unknown): boolean {
  return isDeeperThan(value, DEEPEST);
}

// A megabyte may hold half a million nodes: what is made anew for each of them is what this costs.
function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const item of items) if (isDeeperThan(item, levels - 1)) return true;
  return false;
}
