import { isRefusedName, refusedName } from '@batuta/json';
import * as fc from 'fast-check';
import type { JsonSchema } from './openapi-document';

/**
 * Values that a schema without references allows, of moderate size: texts of at most 200 characters, arrays of at most 4 items.
 * Without a type any JSON.
 */
export function arbitraryOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  const { enum: words, anyOf, type, examples } = schema;
  if (isList(words)) return fc.constantFrom(...words);
  if ('const' in schema) return fc.constant(schema['const']);
  if (isList(anyOf)) return fc.oneof(...anyOf.filter(isSchema).map(arbitraryOf));
  const made = Array.isArray(type)
    ? fc.oneof(...type.map((one) => valuesOfType(String(one), schema)))
    : valuesOfType(String(type), schema);
  return isList(examples) && type !== 'object' ? fc.oneof(made, fc.constantFrom(...examples)) : made;
}

function valuesOfType(type: string, schema: JsonSchema): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: numberOr(schema['minimum'], -1_000), max: numberOr(schema['maximum'], 1_000_000) });
    case 'number':
      return numberValues(schema);
    case 'string':
      return textValues(schema);
    case 'array':
      return fc.array(isSchema(schema['items']) ? arbitraryOf(schema['items']) : jsonValues(), { maxLength: 4 });
    case 'object':
      return objectValues(schema);
    default:
      return jsonValues();
  }
}

function numberValues({ minimum, maximum, multipleOf }: JsonSchema): fc.Arbitrary<number> {
  const [min, max] = [numberOr(minimum, -1e6), Math.min(numberOr(maximum, 1e6), 1e6)];
  if (typeof multipleOf !== 'number') return fc.double({ min, max, noNaN: true });
  // Dividing by 100 gives the nearest decimal, while a product with 0.01 may not.
  const parts = Math.round(1 / multipleOf);
  return fc.integer({ min: Math.ceil(min * parts), max: Math.floor(max * parts) }).map((count) => count / parts);
}

function textValues({ format, pattern, minLength, maxLength }: JsonSchema): fc.Arbitrary<string> {
  if (format === 'uuid') return fc.uuid();
  if (format === 'date') return dayTexts();
  if (format === 'date-time') return dayTexts().map((day) => `${day}T12:00:00Z`);
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern));
  return fc.string({ minLength: numberOr(minLength, 0), maxLength: Math.min(numberOr(maxLength, 40), 200) });
}

function dayTexts(): fc.Arbitrary<string> {
  const range = { min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true };
  return fc.date(range).map((date) => date.toISOString().slice(0, 10));
}

function objectValues(schema: JsonSchema): fc.Arbitrary<object> {
  const least = numberOr(schema['minProperties'], 0);
  return objectsWithOtherFields(schema).filter((object) => Object.keys(object).length >= least);
}

function objectsWithOtherFields({ properties, required, additionalProperties }: JsonSchema): fc.Arbitrary<object> {
  const fields = isSchema(properties) ? Object.entries(properties) : [];
  const requiredKeys = isList(required) ? required.map(String) : [];
  const known = fc.record(
    Object.fromEntries(fields.map(([name, field]) => [name, isSchema(field) ? arbitraryOf(field) : jsonValues()])),
    { requiredKeys },
  );
  if (additionalProperties === undefined || additionalProperties === false) return known;
  const more = fc.dictionary(arbitraryFieldNames(), jsonValues(), { maxKeys: 2 });
  return fc.tuple(more, known).map(([extra, object]) => Object.assign({}, extra, object));
}

/** JSON values without field names that every service refuses (interpretation 62), which the OpenAPI documents do not mention. */
export function jsonValues(): fc.Arbitrary<unknown> {
  return fc.jsonValue({ maxDepth: 3 }).filter((value) => refusedName(JSON.stringify(value)) === undefined);
}

/** Field names that no service refuses (interpretation 62). */
export function arbitraryFieldNames(): fc.Arbitrary<string> {
  return fc.string({ minLength: 1, maxLength: 12 }).filter((name) => !isRefusedName(name));
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(value: unknown): value is unknown[] {
  return Array.isArray(value);
}
