import type { MappingEntry } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { parsePointer } from '../payload/pointer';

const MAX_ENTRIES = 500;
const MAX_POINTER_CHARACTERS = 2_000;
/**
 * Maximum characters of all pointers together. Every capture reads the mappings of its origin, so they must stay small.
 */
const MAX_TOTAL_CHARACTERS = 100_000;

/**
 * Requires that each entry has a JSON Pointer and names a variable of the process, each variable at most once (contract 2.10,
 * interpretation 25), within the limits above. Throws BAD_REQUEST naming the first invalid entry, or `entries` for too
 * many entries or characters.
 */
export function requireValidEntries(entries: readonly MappingEntry[], variableIDs: ReadonlySet<string>): void {
  if (entries.length > MAX_ENTRIES) throw invalidEntries('entries', `must be at most ${MAX_ENTRIES}`);
  const firstOf = new Map<string, number>();
  for (const [index, { pointer, variableId }] of entries.entries()) {
    const field = `entries.${index}`;
    if (pointer.length > MAX_POINTER_CHARACTERS) {
      throw invalidEntries(`${field}.pointer`, `must have at most ${MAX_POINTER_CHARACTERS} characters`);
    }
    if (!parsePointer(pointer)) throw invalidEntries(`${field}.pointer`, 'is not a JSON Pointer, such as /order/total');
    if (!variableIDs.has(variableId)) throw invalidEntries(`${field}.variableId`, 'no such variable in this process');
    const first = firstOf.get(variableId);
    if (first !== undefined) throw invalidEntries(`${field}.variableId`, `is mapped by entries.${first} already`);
    firstOf.set(variableId, index);
  }
  const characters = entries.reduce((total, { pointer }) => total + pointer.length, 0);
  if (characters > MAX_TOTAL_CHARACTERS) {
    throw invalidEntries('entries', `their pointers must have at most ${MAX_TOTAL_CHARACTERS} characters together`);
  }
}

/** Whether two mappings have equal entries, in any order. Each variable must occur at most once in a mapping. */
export function isSameMapping(one: readonly MappingEntry[], other: readonly MappingEntry[]): boolean {
  const pointers = new Map(one.map(({ variableId, pointer }) => [variableId, pointer]));
  return one.length === other.length && other.every(({ variableId, pointer }) => pointers.get(variableId) === pointer);
}

function invalidEntries(field: string, problem: string): ApiError {
  return new ApiError('BAD_REQUEST', `${field}: ${problem}`);
}
