import * as fc from 'fast-check';
import type { ApiOperation } from './openapi-document';
import type { RawRequest } from './raw-http';
import { arbitraryOf } from './schema-values';

/** By name of a parameter or field: values that the service accepts, such as ids of stored data, in place of any values that the schema allows. */
export type KnownValues = Record<string, fc.Arbitrary<unknown>>;

/** The parts of a request, of which a mutation replaces one or two. */
export interface RequestParts {
  method: string;
  /** Already encoded. */
  path: string;
  /** Already encoded, without the question mark. */
  query: string;
  headers: [name: string, value: string][];
  body?: Buffer;
}

/** Requests that the document allows, with known values filled in. */
export function requestsOf(
  operation: ApiOperation,
  known: KnownValues,
  credentials: [name: string, value: string][],
): fc.Arbitrary<RequestParts> {
  const parametersIn = (place: string) => {
    const some = operation.parameters.filter((parameter) => parameter.in === place);
    const requiredKeys = some.filter(({ required }) => required || place === 'path').map(({ name }) => name);
    const values = some.map(({ name, schema }) => [
      name,
      known[name] ?? arbitraryOf(place === 'path' ? { minLength: 1, ...schema } : schema),
    ]);
    return fc.record<Record<string, unknown>>(Object.fromEntries(values), { requiredKeys });
  };
  return fc
    .record({
      path: parametersIn('path'),
      query: parametersIn('query'),
      header: parametersIn('header'),
      body: bodiesOf(operation, known),
    })
    .map(({ path, query, header, body }) => ({
      method: operation.method,
      path: operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(text(path[name]))),
      query: Object.entries(query)
        .map(([name, value]) => `${name}=${encodeURIComponent(text(value))}`)
        .join('&'),
      headers: [
        ...credentials,
        ...Object.entries(header).map(([name, value]): [string, string] => [name, text(value)]),
        ...(body === undefined ? [] : [['Content-Type', 'application/json'] satisfies [string, string]]),
      ],
      body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
    }));
}

export function rawRequestOf({ method, path, query, headers, body }: RequestParts): RawRequest {
  return { method, target: query === '' ? path : `${path}?${query}`, headers, body };
}

function bodiesOf({ requestBody }: ApiOperation, known: KnownValues): fc.Arbitrary<unknown> {
  const schema = requestBody?.content['application/json']?.schema;
  if (!schema) return fc.constant(undefined);
  const bodies = arbitraryOf(schema).chain((body) => withKnownValues(body, known));
  return requestBody?.required ? bodies : fc.option(bodies, { nil: undefined, freq: 8 });
}

/**
 * Replaces the fields of an object, or of each object in an array, by known values. A missing optional field stays missing, and objects inside
 * of fields stay as they are.
 */
export function withKnownValues(body: unknown, known: KnownValues): fc.Arbitrary<unknown> {
  if (Array.isArray(body)) return fc.tuple(...body.map((item: unknown) => withKnownValues(item, known)));
  if (typeof body !== 'object' || body === null) return fc.constant(body);
  const fields = Object.keys(body).flatMap((name) => {
    const values = Object.hasOwn(known, name) ? known[name] : undefined;
    return values ? [[name, values] as const] : [];
  });
  const filled = fc.record<Record<string, unknown>>(Object.fromEntries(fields));
  return filled.map((values) => ({ ...body, ...values }));
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
