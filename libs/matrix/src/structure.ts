import { fits, misfit, type ConversionFit } from './fit';
import { jsonObstacle, parseJsonText, refusedName } from '@batuta/json';
import { MESSAGE_OF_OBSTACLE } from './refusal';

export const NOT_OBJECT_OR_LIST_MESSAGE = 'is not a JSON object or list';

/** Lista: an array unchanged, text with a JSON array, or text with items separated by commas (contract 2.6, interpretation 34). */
export function readList(value: unknown): ConversionFit<unknown[]> {
  if (Array.isArray(value)) return asJson<unknown[]>(value);
  if (typeof value !== 'string') return misfit('is not a list');
  const parsed = parseJsonIfValid(value);
  if (parsed === undefined && value.trimStart().startsWith('[') && hasRefusedName(value))
    return misfit(MESSAGE_OF_OBSTACLE.name);
  return Array.isArray(parsed) ? asJson<unknown[]>(parsed) : fits(splitText(value.trim()));
}

/** Objeto: an object or array unchanged, or its JSON text; no scalars (contract 2.6, interpretation 34). */
export function readObject(value: unknown): ConversionFit<unknown[] | Record<string, unknown>> {
  const object = typeof value === 'string' ? parseJsonIfValid(value) : value;
  if (isStructure(object)) return asJson(object);
  const isRefused = typeof value === 'string' && object === undefined && hasRefusedName(value);
  return misfit(isRefused ? MESSAGE_OF_OBSTACLE.name : NOT_OBJECT_OR_LIST_MESSAGE);
}

/** The compact JSON of a list or object. */
export function readJsonText(value: unknown[] | Record<string, unknown>): ConversionFit<string> {
  const structure = asJson(value);
  return structure.fits ? fits(JSON.stringify(value)) : structure;
}

export function isStructure(value: unknown): value is unknown[] | Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function splitText(text: string): string[] {
  return text === '' ? [] : text.split(',').map((item) => item.trim());
}

function parseJsonIfValid(text: string): unknown {
  try {
    return parseJsonText(text.trim());
  } catch {
    return undefined;
  }
}

function hasRefusedName(text: string): boolean {
  return refusedName(text) !== undefined;
}

function asJson<T extends unknown[] | Record<string, unknown>>(value: T): ConversionFit<T> {
  const obstacle = jsonObstacle(value);
  return obstacle === undefined ? fits(value) : misfit(MESSAGE_OF_OBSTACLE[obstacle]);
}
