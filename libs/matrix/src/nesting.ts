import { MAX_DEPTH } from '@batuta/json';

/** True when lists and objects are nested in more than `maxDepth` levels. */
export function isTooDeep(value: unknown, maxDepth = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (maxDepth === 0) return true;
  for (const item of itemsOf(value)) if (isTooDeep(item, maxDepth - 1)) return true;
  return false;
}

const NO_ITEMS: readonly unknown[] = [];

/**
 * The items of a list or object. Empty ones share one constant, because a megabyte of JSON may have half a million nodes, and an
 * allocation for each would be slow.
 */
function itemsOf(value: object): readonly unknown[] {
  if (Array.isArray(value)) return value;
  for (const _ in value) return Object.values(value);
  return NO_ITEMS;
}

/** The path of keys to the first number that no double holds; undefined when there is none. Only for values that are not nested too deeply. */
export function pathToUnrepresentableNumber(value: unknown): string[] | undefined {
  if (typeof value !== 'object' || value === null) return isUnrepresentable(value) ? [] : undefined;
  for (const [key, item] of Object.entries(value)) {
    const path = pathToUnrepresentableNumber(item);
    if (path) return [key, ...path];
  }
  return undefined;
}

/** True for the result of parsing a number that no double holds. */
function isUnrepresentable(value: unknown): boolean {
  return typeof value === 'number' && !Number.isFinite(value);
}
