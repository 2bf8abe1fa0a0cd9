import { MAX_DEPTH, isTooDeep } from '@batuta/matrix';
import type * as ajv from 'ajv/dist/2020';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020';
import type { Flow } from '../definition/definition';
import { pointerSegment, type FlowProblem } from '../definition/problem';
import { FLOW_SCHEMA } from '../definition/schema';
import { FLOW_LIMITS } from '../definition/schema-parts';
import { fieldOf } from '../variables/resolve-reference';

let compiled: ValidateFunction<Flow> | undefined;

/** Loads ajv and compiles the schema at the first use; otherwise the start of every program that imports this library would take longer. */
function schemaValidator(): ValidateFunction<Flow> {
  if (compiled) return compiled;
  const { Ajv2020 }: typeof ajv = require('ajv/dist/2020');
  const settings = { allErrors: true, discriminator: true, verbose: true, strict: true, strictRequired: false };
  compiled = new Ajv2020(settings).compile<Flow>(FLOW_SCHEMA);
  return compiled;
}

/**
 * Checks the size and depth of a definition and then its schema: the further checks assume that size and depth are bounded.
 */
export function readShape(definition: unknown): { flow: Flow } | { problems: FlowProblem[] } {
  if (!isBounded(definition)) {
    return {
      problems: [{ path: '', message: `must be JSON of at most 1 MB, nested at most ${MAX_DEPTH} levels deep` }],
    };
  }
  const tooLong = tooLongLists(definition);
  if (tooLong.length > 0) return { problems: tooLong };
  const matchesSchema = schemaValidator();
  if (matchesSchema(definition)) return { flow: definition };
  return { problems: (matchesSchema.errors ?? []).filter(isReportable).map(toProblem) };
}

function isBounded(definition: unknown): boolean {
  if (isTooDeep(definition)) return false;
  return Buffer.byteLength(JSON.stringify(definition) ?? '') <= FLOW_LIMITS.bytes;
}

/** Checks the lengths of lists before ajv does: the schema has the same limits, but ajv takes most of a minute for 100,000 wrong steps. */
function tooLongLists(definition: unknown): FlowProblem[] {
  const steps = fieldOf(definition, 'steps');
  const tooManySteps = lengthProblems('/steps', steps, FLOW_LIMITS.steps);
  if (!Array.isArray(steps) || tooManySteps.length > 0) return tooManySteps;
  return steps.flatMap((step: unknown, index) => [
    ...lengthProblems(`/steps/${index}/rows`, fieldOf(step, 'rows'), FLOW_LIMITS.rows),
    ...lengthProblems(`/steps/${index}/routes`, fieldOf(step, 'routes'), FLOW_LIMITS.routes),
    ...lengthProblems(`/steps/${index}/onError`, fieldOf(step, 'onError'), FLOW_LIMITS.routes),
    ...lengthProblems(`/steps/${index}/mapping`, Object.keys(Object(fieldOf(step, 'mapping'))), FLOW_LIMITS.fields),
  ]);
}

function lengthProblems(path: string, list: unknown, limit: number): FlowProblem[] {
  return Array.isArray(list) && list.length > limit ? [{ path, message: `must have at most ${limit} items` }] : [];
}

/** False for an error that repeats another one: a wrong `type` also breaks its enum, and an error within an `anyOf` also breaks the `anyOf`. */
function isReportable({ keyword, schemaPath }: ErrorObject): boolean {
  return keyword !== 'discriminator' && !schemaPath.includes('/anyOf/');
}

function toProblem(error: ErrorObject): FlowProblem {
  const params: Record<string, unknown> = error.params;
  const field = params.missingProperty ?? params.additionalProperty;
  const path = typeof field === 'string' ? `${error.instancePath}/${pointerSegment(field)}` : error.instancePath;
  return { path, message: messageOf(error, params) };
}

const TYPE_MESSAGES: Record<string, string> = {
  string: 'must be a text',
  number: 'must be a number',
  integer: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be an object',
};

function messageOf({ keyword, message, parentSchema }: ErrorObject, params: Record<string, unknown>): string {
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return 'is not a field that exists here';
    case 'enum':
      return `must be one of ${JSON.stringify(params.allowedValues)}`;
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`;
    case 'minLength':
    case 'minItems':
      return 'must not be empty';
    case 'maxLength':
      return `must have at most ${String(params.limit)} characters`;
    case 'maxItems':
    case 'maxProperties':
      return `must have at most ${String(params.limit)} items`;
    case 'minimum':
      return `must be at least ${String(params.limit)}`;
    case 'maximum':
      return `must be at most ${String(params.limit)}`;
    case 'type':
      return TYPE_MESSAGES[String(params.type)] ?? 'is malformed';
    case 'anyOf':
    case 'not':
      return String(parentSchema?.description);
    default:
      return message ?? 'is malformed';
  }
}
