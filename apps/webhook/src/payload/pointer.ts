import { HEADERS_ROOT, QUERY_ROOT, type Payload } from './payload-tree';

export type ResolvedPointer = { found: true; value: unknown } | { found: false };

const NOT_FOUND: ResolvedPointer = { found: false };
const LIST_INDEX = /^(?:0|[1-9]\d*)$/;

/** The steps of a JSON Pointer (RFC 6901); undefined when it is malformed. */
export function parsePointer(text: string): string[] | undefined {
  if (text === '') return [];
  if (!text.startsWith('/') || /~(?![01])/.test(text)) return undefined;
  const steps = text.slice(1).split('/');
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value at a pointer; "" is the whole body. A malformed pointer finds nothing. */
export function resolvePointer(payload: Payload, pointer: string): ResolvedPointer {
  const steps = parsePointer(pointer);
  return steps ? resolveSteps(payload, steps) : NOT_FOUND;
}

/** The value at a parsed pointer. `tree` is only read for pointers into the query or the headers. */
export function resolveSteps({ body, tree }: Payload, steps: readonly string[]): ResolvedPointer {
  let value = isQueryOrHeaders(steps[0]) ? tree : body;
  for (const step of steps) {
    const found = memberOf(value, step);
    if (!found.found) return NOT_FOUND;
    ({ value } = found);
  }
  return { found: true, value };
}

/**
 * Whether a pointer with this first step leads into the query or the headers; fields of the body with that name do not
 * count.
 */
export function isQueryOrHeaders(root: string | undefined): boolean {
  return root === QUERY_ROOT || root === HEADERS_ROOT;
}

/** The item of a list by its index, or an own field of an object: `constructor` is neither. */
export function memberOf(node: unknown, step: string): ResolvedPointer {
  if (Array.isArray(node)) {
    const list: unknown[] = node;
    const index = LIST_INDEX.test(step) ? Number(step) : list.length;
    return index < list.length ? { found: true, value: list[index] } : NOT_FOUND;
  }
  return isObject(node) && Object.hasOwn(node, step) ? { found: true, value: node[step] } : NOT_FOUND;
}

function isObject(node: unknown): node is Record<string, unknown> {
  return typeof node === 'object' && node !== null;
}
