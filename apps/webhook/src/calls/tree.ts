/** Roots beside those of the body; they win over keys of the body that are called the same (interpretation 25). */
export const QUERY = '_query';
export const HEADERS = '_headers';

/** A call's content: the body as it came, and the tree `{...body, _query, _headers}` that pointers go over. */
export interface Payload {
  body: unknown;
  tree: Record<string, unknown>;
}

/** The payload as an owner sees it and maps it: `{...body, _query, _headers}` (contract 2.10). */
export function payloadTree(body: unknown, query: string, headers: Record<string, string>): Record<string, unknown> {
  return treeOf(body, queryNode(query), headers);
}

/** Both forms of a payload at once. */
export function payloadOf(body: unknown, query: string, headers: Record<string, string>): Payload {
  return { body, tree: payloadTree(body, query, headers) };
}

/** A text has characters and no fields: only lists and objects spread into the tree. */
export function treeOf(body: unknown, query: unknown, headers: unknown): Record<string, unknown> {
  const fields = typeof body === 'object' ? body : undefined;
  return { ...fields, [QUERY]: query, [HEADERS]: headers };
}

/** `a=1&b=2&b=3` as `{ a: '1', b: ['2', '3'] }`. What is not valid percent-encoding stays as it is written. */
export function queryNode(query: string): Record<string, string | string[]> {
  const fields = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(query)) {
    const before = fields.get(name);
    if (before === undefined) fields.set(name, value);
    else if (Array.isArray(before)) before.push(value);
    else fields.set(name, [before, value]);
  }
  // Unlike an assignment this makes `__proto__` a field as any other.
  return Object.fromEntries(fields);
}
