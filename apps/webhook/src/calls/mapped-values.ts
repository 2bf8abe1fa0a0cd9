import type { MappedValues } from '@batuta/contracts';
import { DEEPEST, isTooDeep } from '@batuta/matrix';
import type { ReadyMapping } from './mapping-cache';
import { follow, type Payload } from './pointer';

/** What a mapping takes from a payload; fields that the payload lacks are left out (reading 26). */
export function mappedValues({ entries }: ReadyMapping, payload: Payload): MappedValues['values'] {
  return entries.flatMap(({ steps, variableID }) => {
    const found = follow(payload, steps);
    return found.found ? [{ variableID, value: transportable(found.value) }] : [];
  });
}

/**
 * A value that arrives as what it is. What JSON cannot carry goes as something that is refused for the same reason: the
 * execution service says so in its turn, after a replay and the owner, and by the name of the variable.
 */
function transportable(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  return isTooDeep(value) ? tooDeep(Array.isArray(value)) : value;
}

function tooDeep(isList: boolean): unknown {
  let value: unknown = null;
  for (let level = 0; level <= DEEPEST; level += 1) value = isList ? [value] : { deeper: value };
  return value;
}
