import type { MappingEntry } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { parsePointer } from '../calls/pointer';

const MOST_ENTRIES = 500;
const LONGEST_POINTER = 2_000;
/** Characters of all pointers together: every capture reads the mappings of its origin, and every first call of a version its own. */
const MOST_CHARACTERS = 100_000;

/**
 * Contract 2.10, interpretation 25: each entry has a JSON Pointer and names a variable of the process, which no other entry names.
 * Throws BAD_REQUEST naming the first entry that does not fit.
 */
export function requireEntries(entries: readonly MappingEntry[], variableIDs: ReadonlySet<string>): void {
  if (entries.length > MOST_ENTRIES) throw refused('entries', `must be at most ${MOST_ENTRIES}`);
  const firstOf = new Map<string, number>();
  for (const [index, { pointer, variableId }] of entries.entries()) {
    const field = `entries.${index}`;
    if (pointer.length > LONGEST_POINTER) {
      throw refused(`${field}.pointer`, `must have at most ${LONGEST_POINTER} characters`);
    }
    if (!parsePointer(pointer)) throw refused(`${field}.pointer`, 'is not a JSON Pointer, such as /order/total');
    if (!variableIDs.has(variableId)) throw refused(`${field}.variableId`, 'no such variable in this process');
    const first = firstOf.get(variableId);
    if (first !== undefined) throw refused(`${field}.variableId`, `is mapped by entries.${first} already`);
    firstOf.set(variableId, index);
  }
  const characters = entries.reduce((total, { pointer }) => total + pointer.length, 0);
  if (characters > MOST_CHARACTERS) {
    throw refused('entries', `their pointers must have at most ${MOST_CHARACTERS} characters together`);
  }
}

/** Whether two mappings do the same: the order of their entries means nothing. */
export function sameMapping(one: readonly MappingEntry[], other: readonly MappingEntry[]): boolean {
  const pointers = new Map(one.map(({ variableId, pointer }) => [variableId, pointer]));
  return one.length === other.length && other.every(({ variableId, pointer }) => pointers.get(variableId) === pointer);
}

function refused(field: string, problem: string): ApiError {
  return new ApiError('BAD_REQUEST', `${field}: ${problem}`);
}
