import type { Store } from '@batuta/database';
import { isMatrixType, type MatrixVariable } from '@batuta/matrix';
import { LRUCache } from 'lru-cache';

const REMEMBERED = 10_000;
/** Of all that is remembered, about: a process may have two hundred defaults of a hundred thousand characters. */
const MOST_BYTES = 32 * 1_048_576;
/** What a process or variable takes at the least, and what a character of a default may come to: in `[{},{},{}]` it does. */
const LEAST_BYTES = 200;
const CHARACTER_BYTES = 20;
/** A console of the release before this one writes without a revision: what it wrote counts so much later at the most. */
const BELIEVED_MS = 60_000;

/** The variables of a process, in their order, as they were at one revision: nobody changes them. */
export interface Matrix {
  revision: number;
  variables: MatrixVariable[];
  /** In memory, about. */
  bytes: number;
}

interface VariableRow {
  process_id: string;
  matrix_revision: number;
  variable_id: string | null;
  name: string;
  type: string;
  default_value: string;
}

/** Remembers Matrix variables by the process's revision, for the service that makes one: each is read once. */
export class Matrices {
  private readonly matrices = new LRUCache<string, Matrix>({
    max: REMEMBERED,
    maxSize: MOST_BYTES,
    sizeCalculation: ({ bytes }) => bytes,
    ttl: BELIEVED_MS,
  });

  /** By process id, for those whose revision was `seen`: that one or a later. A process that is gone now is missing. */
  async load(store: Store, seen: ReadonlyMap<string, number>): Promise<Map<string, Matrix>> {
    const found = new Map<string, Matrix>();
    for (const [processID, revision] of seen) {
      const known = this.matrices.get(processID);
      if (known?.revision === revision) found.set(processID, known);
    }
    if (found.size === seen.size) return found;
    const missing = [...seen.keys()].filter((processID) => !found.has(processID));
    for (const [processID, matrix] of await readMatrices(store, missing)) {
      this.matrices.set(processID, matrix);
      found.set(processID, matrix);
    }
    return found;
  }
}

/** One statement: it sees the revision and its variables at the same moment, whatever is committed meanwhile. */
export async function readMatrices(store: Store, processIDs: string[]): Promise<Map<string, Matrix>> {
  const rows = await store.rows<VariableRow>(
    `SELECT p.process_id, p.matrix_revision, v.variable_id, v.name, v.type, v.default_value
       FROM process p LEFT JOIN matrix_variable v ON v.process_id = p.process_id
      WHERE p.process_id IN (?) ORDER BY p.process_id, v.position`,
    [processIDs],
  );
  const matrices = new Map<string, Matrix>();
  for (const row of rows) {
    const matrix = matrices.get(row.process_id) ?? { revision: row.matrix_revision, variables: [], bytes: LEAST_BYTES };
    matrices.set(row.process_id, matrix);
    if (row.variable_id === null) continue;
    matrix.variables.push(toVariable(row.variable_id, row));
    matrix.bytes += LEAST_BYTES + CHARACTER_BYTES * (row.name.length + row.default_value.length);
  }
  return matrices;
}

function toVariable(id: string, { name, type, default_value }: VariableRow): MatrixVariable {
  if (!isMatrixType(type)) throw new Error(`Variable ${id} has the unknown type ${type}`);
  const registered: unknown = JSON.parse(default_value);
  return { id, name, type, default: registered };
}
