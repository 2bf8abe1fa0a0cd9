import { ApiError } from '@batuta/errors';
import { isRefusedName, messageOfRefusedName, refusedName } from '@batuta/json';
import { readQuery } from './query';

/**
 * Roots of the payload tree beside the fields of the body. They take precedence over body fields of the same name
 * (interpretation 25).
 */
export const QUERY_ROOT = '_query';
export const HEADERS_ROOT = '_headers';

/** The content of a call: the parsed body, and the tree `{...body, _query, _headers}` for pointers into query and headers. */
export interface Payload {
  body: unknown;
  tree: Record<string, unknown>;
}

/** `query` is the raw query string, without the question mark. */
export function payloadOf(body: unknown, query: string, headers: Record<string, string>): Payload {
  return { body, tree: payloadTree(body, query, headers) };
}

/** The payload as people see and map it: `{...body, _query, _headers}` (contract 2.10). */
export function payloadTree(body: unknown, query: string, headers: Record<string, string>): Record<string, unknown> {
  return treeOf(body, queryNode(query), headers);
}

/** The payload tree with a parsed query. A body that is text, a number or a boolean has no fields and adds none. */
export function treeOf(body: unknown, query: unknown, headers: unknown): Record<string, unknown> {
  const fields = typeof body === 'object' ? body : undefined;
  return { ...fields, [QUERY_ROOT]: query, [HEADERS_ROOT]: headers };
}

/** Whether a body or query that an earlier release stored has a name that is refused today (interpretation 62). */
export function payloadHasRefusedName(body: string, query: string): boolean {
  return refusedName(body) !== undefined || readQuery(query).some(([name]) => isRefusedName(name));
}

/**
 * `a=1&b=2&b=3` becomes `{ a: '1', b: ['2', '3'] }`. Throws BAD_REQUEST for a name that JSON may not have either: the object is sent as JSON to
 * other services (interpretation 62).
 */
export function queryNode(query: string): Record<string, string | string[]> {
  const fields = new Map<string, string | string[]>();
  for (const [name, value] of readQuery(query)) {
    if (isRefusedName(name)) throw new ApiError('BAD_REQUEST', `query: ${messageOfRefusedName(name)}`);
    const earlier = fields.get(name);
    if (earlier === undefined) fields.set(name, value);
    else if (Array.isArray(earlier)) earlier.push(value);
    else fields.set(name, [earlier, value]);
  }
  // Unlike an assignment, fromEntries makes `__proto__` an ordinary field.
  return Object.fromEntries(fields);
}
