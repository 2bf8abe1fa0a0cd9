import type { MappingEntry, PreviewedValue } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { convertValue, type MatrixType, type MatrixValue } from '@batuta/matrix';
import { MASK } from '../calls/masking';
import { valueAt } from '../calls/pointer';
import type { Payload } from '../calls/tree';

export interface Variable {
  name: string;
  type: MatrixType;
}

/**
 * Bytes of values that a preview shows, as JSON; what is beyond is left out, so that the reply fits into a message, and
 * not even converted: hundreds of variables may take the same long text.
 */
const MOST_BYTES = 1_500_000;

type Conversion = { value: MatrixValue } | { refusal: string };
type Convert = (variable: Variable, value: unknown) => Conversion | { omitted: true };

/** What each entry of a mapping makes of a payload, which has the mask wherever a Secreto is mapped. */
export function previewed(
  entries: readonly MappingEntry[],
  variables: ReadonlyMap<string, Variable>,
  payload: Payload,
): PreviewedValue[] {
  let room = MOST_BYTES;
  const convert: Convert = (variable, value) => {
    if (room < 0) return { omitted: true };
    const conversion = converted(variable, value);
    room -= bytesOf(conversion, value);
    return 'value' in conversion && room < 0 ? { omitted: true } : conversion;
  };
  return entries.map((entry) => previewedEntry(entry, variables.get(entry.variableId), payload, convert));
}

function previewedEntry(
  { variableId, pointer }: MappingEntry,
  variable: Variable | undefined,
  payload: Payload,
  convert: Convert,
): PreviewedValue {
  if (!variable) return { variableId, pointer, refusal: 'The variable was deleted; a start leaves it out.' };
  const { name, type } = variable;
  const base = { variableId, name, pointer };
  const found = valueAt(payload, pointer);
  // As for a start: null is as if nothing had been sent (interpretation 31).
  if (!found.found || found.value === null) return { ...base, absent: true };
  // A value that is masked is not known here, so that nothing can be said of its conversion.
  if (type === 'Secreto' || found.value === MASK) return { ...base, value: MASK };
  return { ...base, ...convert(variable, found.value) };
}

function converted({ name, type }: Variable, value: unknown): Conversion {
  try {
    return { value: convertValue(type, value, name, 'node') };
  } catch (error) {
    if (error instanceof ApiError) return { refusal: error.message };
    throw error;
  }
}

/** A text that was refused may have been read to its end for it. */
function bytesOf(conversion: Conversion, from: unknown): number {
  if ('value' in conversion) return Buffer.byteLength(JSON.stringify(conversion.value));
  return typeof from === 'string' ? from.length : 0;
}
