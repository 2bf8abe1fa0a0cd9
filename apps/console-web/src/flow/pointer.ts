/** Reading and changing JSON by JSON Pointers (RFC 6901), without changing the original. */

export function segmentsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function pointerOf(segments: readonly (string | number)[]): string {
  return segments.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The value at a pointer; undefined where there is none. Own keys only. */
export function valueAt(json: unknown, pointer: string): unknown {
  return segmentsOf(pointer).reduce<unknown>((value, key) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    return Reflect.get(value, key);
  }, json);
}

/**
 * The JSON with another value at a pointer; `undefined` removes the key or the item. Missing objects on the path are
 * created.
 */
export function withValueAt(json: unknown, pointer: string, value: unknown): unknown {
  return replace(json, segmentsOf(pointer), value);
}

function replace(json: unknown, [key, ...rest]: string[], value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(json)) {
    const items: unknown[] = json;
    const index = Number(key);
    const next = replace(items[index], rest, value);
    return next === undefined ? items.filter((_, at) => at !== index) : withItem(items, index, next);
  }
  const entries = typeof json === 'object' && json !== null ? Object.entries(json) : [];
  const next = replace(entries.find(([name]) => name === key)?.[1], rest, value);
  if (next === undefined) return Object.fromEntries(entries.filter(([name]) => name !== key));
  const isNew = !entries.some(([name]) => name === key);
  // Object.fromEntries makes own keys of every name, also of __proto__.
  return Object.fromEntries(
    isNew ? [...entries, [key, next]] : entries.map(([name, old]) => [name, name === key ? next : old]),
  );
}

/** An index beyond the end appends the item. */
function withItem(items: unknown[], index: number, item: unknown): unknown[] {
  return index < items.length ? items.with(index, item) : [...items, item];
}
