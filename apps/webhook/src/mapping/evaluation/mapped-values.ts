import type { MappedValues } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { RawJson } from '@batuta/json';
import { jsonObstacle, MAX_DEPTH } from '@batuta/matrix';
import type { Payload } from '../../payload/payload-tree';
import { resolveSteps } from '../../payload/pointer';
import type { ParsedMapping } from './mapping-cache';

/**
 * Maximum size of all values of one start as JSON. Many variables may map the same field, so a small body can give large
 * values; within this limit they fit into each message on the way to the agent, also after conversion.
 */
const MAX_VALUES_BYTES = 2 * 1_048_576;
/**
 * Added to the size of a list or object that JSON cannot carry, for its first variable: finding what JSON cannot carry may walk a whole
 * body, and the size is that of the small value sent instead.
 */
const UNSERIALIZABLE_BYTES = 1_048_576;

/** Characters of JSON from which a list or object is sent as text. */
const LARGE_JSON_LENGTH = 16_384;

/** A value as it is sent to execution. `firstBytes` also has UNSERIALIZABLE_BYTES, where they apply; `repeatedBytes` is its size alone. */
interface SizedValue {
  sent: Pick<MappedValues['values'][number], 'value' | 'unheld'>;
  firstBytes: number;
  repeatedBytes: number;
}

/**
 * The values that a mapping takes from a payload, without fields that the payload lacks (interpretation 26). Throws
 * PAYLOAD_TOO_LARGE above 2 MB.
 */
export function mappedValues({ entries }: ParsedMapping, payload: Payload): MappedValues['values'] {
  // Sizes of nodes that were measured already: hundreds of variables may map the same large node.
  const known = new Map<unknown, SizedValue>();
  let bytesLeft = MAX_VALUES_BYTES;
  return entries.flatMap(({ steps, variableID }) => {
    const found = resolveSteps(payload, steps);
    if (!found.found) return [];
    const earlier = known.get(found.value);
    const sized = earlier ?? sizedValue(found.value);
    known.set(found.value, sized);
    bytesLeft -= earlier ? sized.repeatedBytes : sized.firstBytes;
    if (bytesLeft < 0) {
      throw new ApiError('PAYLOAD_TOO_LARGE', 'body: the mapped fields come to more than 2 MB together');
    }
    return [{ variableID, ...sized.sent }];
  });
}

/**
 * A value that JSON cannot carry to execution is replaced by one that execution refuses for the same reason. The refusal must
 * come from execution, because replays and the owner are checked before it, and because it names the variable.
 */
function sizedValue(found: unknown): SizedValue {
  const obstacle = jsonObstacle(found);
  const value = obstacle ? tooDeepValue(Array.isArray(found)) : found;
  const json = JSON.stringify(value);
  const bytes = Buffer.byteLength(json);
  const searched = obstacle !== undefined && typeof found === 'object';
  return {
    sent: {
      value: isSentAsText(value, json) ? new RawJson(json) : value,
      ...(obstacle === 'number' && { unheld: true as const }),
    },
    firstBytes: bytes + (searched ? UNSERIALIZABLE_BYTES : 0),
    repeatedBytes: bytes,
  };
}

/**
 * Whether a value is sent as JSON text, because neither execution nor the router needs to parse a large list or object.
 */
function isSentAsText(value: unknown, json: string): boolean {
  return json.length >= LARGE_JSON_LENGTH && typeof value === 'object' && value !== null;
}

/**
 * The smallest value that is nested too deeply; a release of execution that does not know the field `unheld` also
 * refuses it.
 */
function tooDeepValue(isList: boolean): unknown {
  let value: unknown = null;
  for (let level = 0; level <= MAX_DEPTH; level += 1) value = isList ? [value] : { deeper: value };
  return value;
}
