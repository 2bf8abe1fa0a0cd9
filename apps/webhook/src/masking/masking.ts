import { RawJson } from '@batuta/json';
import { HEADERS_ROOT, QUERY_ROOT, treeOf, type Payload } from '../payload/payload-tree';
import { isQueryOrHeaders, memberOf, parsePointer } from '../payload/pointer';

/**
 * The text that replaces secrets in captures: values that are mapped to a Secreto (contract 2.10) or have the name of a
 * secret, and the signature of the call.
 */
export const MASK = '«•••»';

/**
 * A payload with the mask at all `pointers`; a pointer that finds nothing is ignored. The result shares its unmasked nodes
 * with the given payload, which is not changed.
 */
export function maskPayload(payload: Payload, pointers: readonly string[]): Payload {
  const copies = new Set<object>();
  let { body } = payload;
  let roots: unknown = { [QUERY_ROOT]: payload.tree[QUERY_ROOT], [HEADERS_ROOT]: payload.tree[HEADERS_ROOT] };
  for (const pointer of pointers) {
    const steps = parsePointer(pointer);
    if (!steps) continue;
    if (isQueryOrHeaders(steps[0])) roots = maskAt(roots, steps, copies);
    else body = maskAt(body, steps, copies);
  }
  return { body, tree: treeOf(body, fieldOf(roots, QUERY_ROOT), fieldOf(roots, HEADERS_ROOT)) };
}

/** Whether a value or any part of it is masked, so that it differs from the value that was sent. */
export function containsMask(value: unknown): boolean {
  const unvisited = [value];
  for (let node = unvisited.pop(); node !== undefined; node = unvisited.pop()) {
    if (node === MASK) return true;
    if (typeof node !== 'object' || node === null) continue;
    if (node instanceof RawJson) {
      // JSON.stringify wrote the text, so the mask is in it without escapes; only then a large text is parsed, which
      // takes long.
      if (node.text.includes(MASK)) unvisited.push(JSON.parse(node.text));
      continue;
    }
    // A query or headers that are masked as a whole are stored as one parameter or header whose name is the mask.
    if (Object.hasOwn(node, MASK)) return true;
    for (const child of Object.values(node)) unvisited.push(child);
  }
  return false;
}

function maskAt(root: unknown, steps: readonly string[], copies: Set<object>): unknown {
  const path = pathTo(root, steps);
  if (!path) return root;
  let replacement: unknown = MASK;
  // The nodes from the masked value up to the root are copied; `copies` ensures that each node is copied only once for
  // all pointers.
  for (let level = steps.length - 1; level >= 0; level -= 1) {
    replacement = withField(path[level], steps[level] ?? '', replacement, copies);
  }
  return replacement;
}

/** The nodes from the root to the parent of the value; undefined when there is no such value. */
function pathTo(root: unknown, steps: readonly string[]): unknown[] | undefined {
  const path: unknown[] = [];
  let node = root;
  for (const step of steps) {
    const found = memberOf(node, step);
    if (!found.found) return undefined;
    path.push(node);
    node = found.value;
  }
  return path;
}

function withField(node: unknown, step: string, value: unknown, copies: Set<object>): unknown {
  if (typeof node !== 'object' || node === null) return node;
  const copy: object = copies.has(node) ? node : Array.isArray(node) ? [...node] : { ...node };
  copies.add(copy);
  // The field is defined and not assigned, because an assignment to `__proto__` would set the prototype instead of a
  // field.
  Object.defineProperty(copy, step, { value, writable: true, enumerable: true, configurable: true });
  return copy;
}

function fieldOf(node: unknown, name: string): unknown {
  const found = memberOf(node, name);
  return found.found ? found.value : undefined;
}
