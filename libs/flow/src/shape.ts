import { DEEPEST, isTooDeep } from '@batuta/matrix';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020';
import type { Flow } from './definition';
import type { Problem } from './problem';
import { FLOW_LIMITS, FLOW_SCHEMA } from './schema';
import { pointerSegment } from './step-texts';
import { fieldOf } from './variables';

const matches = new Ajv2020({
  allErrors: true,
  discriminator: true,
  verbose: true,
  strict: true,
  strictRequired: false,
}).compile<Flow>(FLOW_SCHEMA);

/** Checks the shape of a definition: size and depth first, so that nothing later has to fear them, then the schema. */
export function readShape(definition: unknown): { flow: Flow } | { problems: Problem[] } {
  if (!isBounded(definition)) {
    return { problems: [{ path: '', message: `must be JSON of at most 1 MB, nested at most ${DEEPEST} levels deep` }] };
  }
  const long = tooLongLists(definition);
  if (long.length > 0) return { problems: long };
  if (matches(definition)) return { flow: definition };
  return { problems: (matches.errors ?? []).filter(saysSomething).map(toProblem) };
}

function isBounded(definition: unknown): boolean {
  if (isTooDeep(definition)) return false;
  return Buffer.byteLength(JSON.stringify(definition) ?? '') <= FLOW_LIMITS.bytes;
}

/** The schema says so too, but collecting an error for each of 100,000 wrong steps takes ajv most of a minute. */
function tooLongLists(definition: unknown): Problem[] {
  const steps = fieldOf(definition, 'steps');
  const long = tooLong('/steps', steps, FLOW_LIMITS.steps);
  if (!Array.isArray(steps) || long.length > 0) return long;
  return steps.flatMap((step: unknown, index) => [
    ...tooLong(`/steps/${index}/rows`, fieldOf(step, 'rows'), FLOW_LIMITS.rows),
    ...tooLong(`/steps/${index}/routes`, fieldOf(step, 'routes'), FLOW_LIMITS.routes),
    ...tooLong(`/steps/${index}/onError`, fieldOf(step, 'onError'), FLOW_LIMITS.routes),
  ]);
}

function tooLong(path: string, list: unknown, limit: number): Problem[] {
  return Array.isArray(list) && list.length > limit ? [{ path, message: `must have at most ${limit} items` }] : [];
}

/** A wrong `type` is told by its own rule, the branches of an `anyOf` by the description of the whole. */
function saysSomething({ keyword, schemaPath }: ErrorObject): boolean {
  return keyword !== 'discriminator' && !schemaPath.includes('/anyOf/');
}

function toProblem(error: ErrorObject): Problem {
  const params: Record<string, unknown> = error.params;
  const missing = params.missingProperty ?? params.additionalProperty;
  const path = typeof missing === 'string' ? `${error.instancePath}/${pointerSegment(missing)}` : error.instancePath;
  return { path, message: messageOf(error, params) };
}

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
    case 'anyOf':
    case 'not':
      return String(parentSchema?.description);
    default:
      return message ?? 'is malformed';
  }
}
