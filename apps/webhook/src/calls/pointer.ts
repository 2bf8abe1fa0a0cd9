import { HEADERS, QUERY, type Payload } from './tree';

export type Found = { found: true; value: unknown } | { found: false };

const NOTHING: Found = { found: false };
const INDEX = /^(?:0|[1-9]\d*)$/;

/** The steps of a JSON Pointer (RFC 6901); undefined when it is malformed. */
export function parsePointer(text: string): string[] | undefined {
  if (text === '') return [];
  if (!text.startsWith('/') || /~(?![01])/.test(text)) return undefined;
  const steps = text.slice(1).split('/');
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** What a pointer finds; "" is the whole body. A malformed one finds nothing. */
export function valueAt(payload: Payload, pointer: string): Found {
  const steps = parsePointer(pointer);
  return steps ? follow(payload, steps) : NOTHING;
}

/** As `valueAt`, for a pointer that is parsed already. Of `tree` it reads the reserved roots only. */
export function follow({ body, tree }: Payload, steps: readonly string[]): Found {
  let value = isReserved(steps[0]) ? tree : body;
  for (const step of steps) {
    const found = member(value, step);
    if (!found.found) return NOTHING;
    ({ value } = found);
  }
  return { found: true, value };
}

/** Roots that are not of the body, whatever the body calls its fields. */
export function isReserved(root: string | undefined): boolean {
  return root === QUERY || root === HEADERS;
}

/** An item of a list by its number, or a field of its own of an object: `constructor` is in neither. */
export function member(node: unknown, step: string): Found {
  if (Array.isArray(node)) {
    const list: unknown[] = node;
    const index = INDEX.test(step) ? Number(step) : list.length;
    return index < list.length ? { found: true, value: list[index] } : NOTHING;
  }
  return isObject(node) && Object.hasOwn(node, step) ? { found: true, value: node[step] } : NOTHING;
}

function isObject(node: unknown): node is Record<string, unknown> {
  return typeof node === 'object' && node !== null;
}
