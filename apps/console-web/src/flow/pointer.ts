// Reading and changing JSON by JSON Pointers (RFC 6901). The given JSON is never changed.

/** The keys of a pointer without their escapes; none for the empty pointer, which names the whole JSON. */
export function segmentsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function pointerOf(segments: readonly (string | number)[]): string {
  return segments.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The value at a pointer, by own keys only; undefined where nothing is. */
export function valueAt(json: unknown, pointer: string): unknown {
  return segmentsOf(pointer).reduce<unknown>((value, key) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    return Reflect.get(value, key);
  }, json);
}

/**
 * A copy of the JSON with another value at a pointer; `undefined` removes the key or the item, and changes nothing where none is. A list gets
 * an item beyond its end as its last one. On the way to the value, an object replaces whatever is missing or is neither object nor list.
 */
export function withValueAt(json: unknown, pointer: string, value: unknown): unknown {
  if (value === undefined && valueAt(json, pointer) === undefined) return json;
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

/** The list with this item at the index; an index beyond the end, or no number, appends it. */
function withItem(items: unknown[], index: number, item: unknown): unknown[] {
  return index < items.length ? items.with(index, item) : [...items, item];
}
