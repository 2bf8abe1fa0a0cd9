import type { MappingEntry, PreviewedValue } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { convertValue, type MatrixType, type MatrixValue } from '@batuta/matrix';
import { MASK } from '../masking/masking';
import type { Payload } from '../payload/payload-tree';
import { resolvePointer } from '../payload/pointer';

export interface PreviewVariable {
  name: string;
  type: MatrixType;
}

/**
 * Maximum size of all values of one mapping as JSON, so that the reply with two mappings fits into a message. The value that exceeds it and all
 * later ones are omitted, the later ones without converting them: hundreds of variables may map the same long text.
 */
const MAX_PREVIEW_BYTES = 1_500_000;

type ConversionResult = { value: MatrixValue } | { refusal: string };
type ConvertVariable = (variable: PreviewVariable, value: unknown) => ConversionResult | { omitted: true };

/** The value, or its refusal, that each entry of a mapping takes from a payload, whose Secreto values are already masked. */
export function previewMapping(
  entries: readonly MappingEntry[],
  variables: ReadonlyMap<string, PreviewVariable>,
  payload: Payload,
): PreviewedValue[] {
  let bytesLeft = MAX_PREVIEW_BYTES;
  const convert: ConvertVariable = (variable, value) => {
    if (bytesLeft < 0) return { omitted: true };
    const conversion = convertOrRefuse(variable, value);
    bytesLeft -= bytesOf(conversion, value);
    return 'value' in conversion && bytesLeft < 0 ? { omitted: true } : conversion;
  };
  return entries.map((entry) => previewEntry(entry, variables.get(entry.variableId), payload, convert));
}

function previewEntry(
  { variableId, pointer }: MappingEntry,
  variable: PreviewVariable | undefined,
  payload: Payload,
  convert: ConvertVariable,
): PreviewedValue {
  if (!variable) return { variableId, pointer, refusal: 'The variable was deleted; a start leaves it out.' };
  const { name, type } = variable;
  const base = { variableId, name, pointer };
  const found = resolvePointer(payload, pointer);
  // The preview treats null as a start does: as a value that was not sent (interpretation 31).
  if (!found.found || found.value === null) return { ...base, absent: true };
  // A masked value is unknown, so it cannot be converted.
  if (type === 'Secreto' || found.value === MASK) return { ...base, value: MASK };
  return { ...base, ...convert(variable, found.value) };
}

function convertOrRefuse({ name, type }: PreviewVariable, value: unknown): ConversionResult {
  try {
    return { value: convertValue(type, value, name, 'node') };
  } catch (error) {
    if (error instanceof ApiError) return { refusal: error.message };
    throw error;
  }
}

/**
 * The size that a value adds to the preview. A refused text counts with its length, because the conversion may have
 * read all of it.
 */
function bytesOf(conversion: ConversionResult, from: unknown): number {
  if ('value' in conversion) return Buffer.byteLength(JSON.stringify(conversion.value));
  return typeof from === 'string' ? from.length : 0;
}
