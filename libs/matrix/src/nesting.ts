/** Maximum levels of lists and objects. Deeper nesting overflows the stack of JSON.stringify; real payloads have fewer than 20. */
export const MAX_DEPTH = 100;

/** The reasons why a value cannot be sent as JSON: too deep nesting, or a number that no double holds, which JSON writes as null. */
export type JsonObstacle = 'depth' | 'number';

/**
 * The first obstacle in a value, which is itself the first level of lists and objects. The recursion ends at `maxDepth`, so that
 * no value overflows the stack.
 */
export function jsonObstacle(value: unknown, maxDepth = MAX_DEPTH): JsonObstacle | undefined {
  if (typeof value !== 'object' || value === null) return isUnheld(value) ? 'number' : undefined;
  if (maxDepth === 0) return 'depth';
  for (const item of itemsOf(value)) {
    const obstacle = jsonObstacle(item, maxDepth - 1);
    if (obstacle !== undefined) return obstacle;
  }
  return undefined;
}

/** True when lists and objects are nested in more than `maxDepth` levels. */
export function isTooDeep(value: unknown, maxDepth = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (maxDepth === 0) return true;
  for (const item of itemsOf(value)) if (isTooDeep(item, maxDepth - 1)) return true;
  return false;
}

const NO_ITEMS: readonly unknown[] = [];

/** A megabyte may have half a million nodes, so that one allocation per node decides the cost of a walk: empty ones cost none. */
function itemsOf(value: object): readonly unknown[] {
  if (Array.isArray(value)) return value;
  for (const _ in value) return Object.values(value);
  return NO_ITEMS;
}

/** The keys that lead to the first number that no double holds; undefined without one. For values that are not too deep. */
export function pathToUnheld(value: unknown): string[] | undefined {
  if (typeof value !== 'object' || value === null) return isUnheld(value) ? [] : undefined;
  for (const [key, item] of Object.entries(value)) {
    const path = pathToUnheld(item);
    if (path) return [key, ...path];
  }
  return undefined;
}

/** True for the result of parsing a number that no double holds. */
function isUnheld(value: unknown): boolean {
  return typeof value === 'number' && !Number.isFinite(value);
}
