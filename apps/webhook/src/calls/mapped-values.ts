import type { MappedValues } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { DEEPEST, isTooDeep } from '@batuta/matrix';
import type { ReadyMapping } from './mapping-cache';
import { follow } from './pointer';
import type { Payload } from './tree';

/**
 * Of the values of one start, as JSON. A field may be mapped many times, so a small body can give large values; with all
 * that conversion may add these still fit into each message on their way to the agent.
 */
const MOST_BYTES = 2 * 1_048_576;
/** What a node counts for that is nested too deeply, beside what goes in its place: it may have been all of a body. */
const TOO_DEEP_BYTES = 1_048_576;

/** What goes for a value of the payload, and how many bytes of JSON it counts for, the first time and when taken again. */
interface Carried {
  value: unknown;
  first: number;
  again: number;
}

/**
 * What a mapping takes from a payload; fields that the payload lacks are left out (interpretation 26). Throws PAYLOAD_TOO_LARGE
 * for more than can be passed on.
 */
export function mappedValues({ entries }: ReadyMapping, payload: Payload): MappedValues['values'] {
  // Hundreds of variables may take the same node of a megabyte: it is looked through once.
  const known = new Map<unknown, Carried>();
  let room = MOST_BYTES;
  return entries.flatMap(({ steps, variableID }) => {
    const found = follow(payload, steps);
    if (!found.found) return [];
    const before = known.get(found.value);
    const carried = before ?? carry(found.value);
    known.set(found.value, carried);
    room -= before ? carried.again : carried.first;
    if (room < 0) throw new ApiError('PAYLOAD_TOO_LARGE', 'body: the mapped fields come to more than 2 MB together');
    return [{ variableID, value: carried.value }];
  });
}

/**
 * A value that arrives as what it is. What JSON cannot carry goes as something that is refused for the same reason: the
 * execution service says so in its turn, after a replay and the owner, and by the name of the variable.
 */
function carry(found: unknown): Carried {
  const beyondJson = typeof found === 'number' && !Number.isFinite(found);
  const deep = isTooDeep(found);
  const value = beyondJson ? String(found) : deep ? tooDeep(Array.isArray(found)) : found;
  const again = Buffer.byteLength(JSON.stringify(value));
  return { value, first: again + (deep ? TOO_DEEP_BYTES : 0), again };
}

function tooDeep(isList: boolean): unknown {
  let value: unknown = null;
  for (let level = 0; level <= DEEPEST; level += 1) value = isList ? [value] : { deeper: value };
  return value;
}
