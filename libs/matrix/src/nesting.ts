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
 * The items to visit below a node. A megabyte of JSON may have half a million nodes, so empty lists and objects share
 * one constant instead of allocating.
 */
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
