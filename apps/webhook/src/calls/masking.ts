import { isReserved, member, parsePointer } from './pointer';
import { HEADERS, QUERY, treeOf, type Payload } from './tree';

/** What stands in a capture for what is mapped to a Secreto (contract 2.10). */
export const MASK = '«•••»';

/**
 * The payload with the mask in place of all that the pointers find; those that find nothing change nothing. What is not
 * masked is shared with the payload given, which stays as it is.
 */
export function masked(payload: Payload, pointers: readonly string[]): Payload {
  const own = new Set<object>();
  let { body } = payload;
  let roots: unknown = { [QUERY]: payload.tree[QUERY], [HEADERS]: payload.tree[HEADERS] };
  for (const pointer of pointers) {
    const steps = parsePointer(pointer);
    if (!steps) continue;
    if (isReserved(steps[0])) roots = maskAt(roots, steps, own);
    else body = maskAt(body, steps, own);
  }
  return { body, tree: treeOf(body, fieldOf(roots, QUERY), fieldOf(roots, HEADERS)) };
}

/** Whether anything in a value is masked: it is then not what was sent. */
export function holdsMask(value: unknown): boolean {
  const left = [value];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (node === MASK) return true;
    if (typeof node !== 'object' || node === null) continue;
    // Of a query or headers that are masked as a whole the mask is kept as their only field.
    if (Object.hasOwn(node, MASK)) return true;
    for (const each of Object.values(node)) left.push(each);
  }
  return false;
}

function maskAt(root: unknown, steps: readonly string[], own: Set<object>): unknown {
  const path = pathTo(root, steps);
  if (!path) return root;
  let replacement: unknown = MASK;
  // From the masked field up, so that each node on the way is copied once, however many fields of it are masked.
  for (let level = steps.length - 1; level >= 0; level -= 1) {
    replacement = withField(path[level], steps[level] ?? '', replacement, own);
  }
  return replacement;
}

/** The nodes that a pointer goes through, without what it finds; undefined when it finds nothing. */
function pathTo(root: unknown, steps: readonly string[]): unknown[] | undefined {
  const path: unknown[] = [];
  let node = root;
  for (const step of steps) {
    const found = member(node, step);
    if (!found.found) return undefined;
    path.push(node);
    node = found.value;
  }
  return path;
}

function withField(node: unknown, step: string, value: unknown, own: Set<object>): unknown {
  if (typeof node !== 'object' || node === null) return node;
  const copy: object = own.has(node) ? node : Array.isArray(node) ? [...node] : { ...node };
  own.add(copy);
  // An assignment to `__proto__` would not make a field.
  Object.defineProperty(copy, step, { value, writable: true, enumerable: true, configurable: true });
  return copy;
}

function fieldOf(node: unknown, name: string): unknown {
  const found = member(node, name);
  return found.found ? found.value : undefined;
}
