import { readBoolean } from './boolean';
import type { ConversionFit } from './fit';
import { jsonObstacle, RawJson } from '@batuta/json';
import { LargeText } from './large-text';
import { readMoney, readNumber } from './number';
import { MESSAGE_OF_OBSTACLE, matrixRefusal, refusedValueText } from './refusal';
import { NOT_OBJECT_OR_LIST_MESSAGE, readList, readObject } from './structure';
import { readSecret, readText } from './text';
import type { MatrixType, MatrixValue, ValueSource } from './types';

const READER_OF_TYPE: Record<MatrixType, (value: unknown, source: ValueSource) => ConversionFit<MatrixValue>> = {
  Texto: readText,
  Número: readNumber,
  Moeda: readMoney,
  'Verdadeiro/Falso': readBoolean,
  Lista: readList,
  Objeto: readObject,
  Secreto: readSecret,
};

/**
 * Converts one value by its type (contract 2.6, 2.10, 2.12; interpretations 27, 31–36). null and undefined become the value that
 * `valueWithoutDefault` returns. A list or object that is sent for a Lista or an Objeto is returned without a copy or a change. Throws
 * INVALID_MATRIX, whose message names `field`, for a value that does not convert, or that has a number which no double holds (interpretation 52).
 */
export function convertValue(
  type: MatrixType,
  value: unknown,
  field: string,
  source: ValueSource = 'body',
): MatrixValue {
  if (value === null || value === undefined) return valueWithoutDefault(type);
  if (value instanceof RawJson) return convertRaw(type, value, field, source);
  if (value instanceof LargeText) return convertLargeText(type, value, field, source);
  if (typeof value === 'number' && jsonObstacle(value)) throw matrixRefusal(field, MESSAGE_OF_OBSTACLE.number);
  const read = READER_OF_TYPE[type](value, source);
  if (!read.fits) throw matrixRefusal(field, `${refusedValueText(type, value, source)} ${read.why}`);
  return read.value;
}

/** Converts a RawJson, whose text was checked before. A list or object that the conversion does not change stays a RawJson. */
function convertRaw(type: MatrixType, raw: RawJson, field: string, source: ValueSource): MatrixValue {
  const { string } = raw;
  if (string !== undefined) return convertValue(type, string, field, source);
  if (type === 'Objeto' || (type === 'Lista' && raw.isList)) return raw;
  if (type === 'Texto' || (type === 'Secreto' && source !== 'body')) return raw.text;
  // The other types refuse every list and object; an empty one is enough for the message to say which of the two it was.
  return convertValue(type, raw.isList ? [] : {}, field, source);
}

function convertLargeText(
  type: MatrixType,
  { text, structure }: LargeText,
  field: string,
  source: ValueSource,
): MatrixValue {
  const { json, obstacle } = structure;
  if (json !== undefined) return new RawJson(json);
  const why = obstacle === undefined ? NOT_OBJECT_OR_LIST_MESSAGE : MESSAGE_OF_OBSTACLE[obstacle];
  throw matrixRefusal(field, `${refusedValueText(type, text, source)} ${why}`);
}

/** The value of a variable that has neither a value nor a default (interpretation 31). */
export function valueWithoutDefault(type: MatrixType): MatrixValue {
  if (type === 'Texto') return '';
  if (type === 'Verdadeiro/Falso') return false;
  return type === 'Lista' ? [] : null;
}
