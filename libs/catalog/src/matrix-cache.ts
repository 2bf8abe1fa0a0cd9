import type { Store } from '@batuta/database';
import { RawJson } from '@batuta/json';
import { isMatrixType, type MatrixVariable } from '@batuta/matrix';
import { LRUCache } from 'lru-cache';

const MAX_CACHED_PROCESSES = 10_000;
/**
 * Maximum size of the cache in bytes, by the estimate below. A Matrix with a megabyte of defaults has about 20 MB; a larger one than the cache
 * is not kept.
 */
const MAX_CACHE_BYTES = 32 * 1_048_576;
/** Estimated bytes of memory of a variable without its texts, and of a process without variables. */
const BYTES_PER_VARIABLE = 200;
/** Estimated bytes of memory per character of a name or a default, in the worst case: a default such as `[{},{},{}]`. */
const BYTES_PER_CHARACTER = 20;
/** Length in characters from which on the JSON of a default stays text. */
const LONG_DEFAULT_CHARACTERS = 1_024;
/**
 * Maximum characters of the defaults of several processes that are read together. The defaults of one process alone are read whatever their
 * size: they come in one request body of at most a megabyte, which the conversion may lengthen several times.
 */
const MAX_READ_CHARACTERS = 2 * 1_048_576;
const NO_LIMIT = Number.MAX_SAFE_INTEGER;
/** Time to live of an entry, for changes by a console of the previous release, which does not raise the revision. */
const TIME_TO_LIVE_MS = 60_000;

/** The variables of a process at one revision, in their order; callers do not change them. */
export interface MatrixAtRevision {
  revision: number;
  variables: MatrixVariable[];
  /** Estimated bytes of memory of the variables. */
  bytes: number;
  /** The bytes of the default values as JSON, with the names of their variables. */
  defaultBytes: number;
}

interface VariableRow {
  process_id: string;
  matrix_revision: number;
  variable_id: string | null;
  name: string;
  type: string;
  /** Null without a variable, or when the defaults of all requested processes are too long to be read together. */
  default_value: string | null;
}

/**
 * Thrown when the values of a batch of starts do not fit into memory together; the caller may retry with smaller
 * batches.
 */
export class BatchTooLarge extends Error {}

/** Caches the Matrix variables of each process at the revision that was read last. */
export class MatrixCache {
  private readonly matrices = new LRUCache<string, MatrixAtRevision>({
    max: MAX_CACHED_PROCESSES,
    maxSize: MAX_CACHE_BYTES,
    sizeCalculation: ({ bytes }) => bytes,
    ttl: TIME_TO_LIVE_MS,
  });

  /** The bytes of the default values of a process as JSON, with their names; 0 when they are not cached. */
  defaultBytesOf(processID: string): number {
    return this.matrices.peek(processID)?.defaultBytes ?? 0;
  }

  /**
   * `revisions` = the current revision by process id. Returns the Matrix at that revision or a later one, by process id; a
   * process that has been deleted is missing. Throws BatchTooLarge when the defaults of several processes must be read and together
   * exceed MAX_READ_CHARACTERS.
   */
  async load(store: Store, revisions: ReadonlyMap<string, number>): Promise<Map<string, MatrixAtRevision>> {
    const found = new Map<string, MatrixAtRevision>();
    for (const [processID, revision] of revisions) {
      const cached = this.matrices.get(processID);
      if (cached?.revision === revision) found.set(processID, cached);
    }
    if (found.size === revisions.size) return found;
    const missing = [...revisions.keys()].filter((processID) => !found.has(processID));
    for (const [processID, matrix] of await readMatrices(store, missing)) {
      this.matrices.set(processID, matrix);
      found.set(processID, matrix);
    }
    return found;
  }
}

/**
 * Reads the Matrices in one statement, so that each revision and its variables are of one snapshot. Throws BatchTooLarge when the
 * defaults of several processes are too large together; the database then sends none of them.
 */
export async function readMatrices(store: Store, processIDs: string[]): Promise<Map<string, MatrixAtRevision>> {
  const rows = await store.rows<VariableRow>(
    `SELECT p.process_id, p.matrix_revision, v.variable_id, v.name, v.type,
            IF(whole.characters <= ?, v.default_value, NULL) AS default_value
       FROM process p LEFT JOIN matrix_variable v ON v.process_id = p.process_id
       JOIN (SELECT COALESCE(SUM(CHAR_LENGTH(default_value)), 0) AS characters
               FROM matrix_variable WHERE process_id IN (?)) whole
      WHERE p.process_id IN (?) ORDER BY p.process_id, v.position`,
    [processIDs.length > 1 ? MAX_READ_CHARACTERS : NO_LIMIT, processIDs, processIDs],
  );
  const matrices = new Map<string, MatrixAtRevision>();
  for (const row of rows) {
    const matrix = matrices.get(row.process_id) ?? {
      revision: row.matrix_revision,
      variables: [],
      bytes: BYTES_PER_VARIABLE,
      defaultBytes: 0,
    };
    matrices.set(row.process_id, matrix);
    if (row.variable_id === null) continue;
    if (row.default_value === null) throw new BatchTooLarge('The defaults of the processes are too large together');
    matrix.variables.push(toVariable(row.variable_id, row, row.default_value));
    matrix.bytes += BYTES_PER_VARIABLE + BYTES_PER_CHARACTER * (row.name.length + row.default_value.length);
    matrix.defaultBytes += Buffer.byteLength(row.name) + Buffer.byteLength(row.default_value);
  }
  return matrices;
}

function toVariable(id: string, { name, type }: VariableRow, defaultText: string): MatrixVariable {
  if (!isMatrixType(type)) throw new Error(`Variable ${id} has the unknown type ${type}`);
  return { id, name, type, default: readDefault(defaultText) };
}

/** A long list or object stays text: a start passes the text on without reading it. */
function readDefault(json: string): unknown {
  const isStructure = json.startsWith('[') || json.startsWith('{');
  return isStructure && json.length >= LONG_DEFAULT_CHARACTERS ? new RawJson(json) : JSON.parse(json);
}
