import { ApiError } from '@batuta/errors';
import { isTooDeep } from '@batuta/matrix';
import type { PipeTransform } from '@nestjs/common';
import type { z } from 'zod';

const DEEPEST = 64;

/** Reads a body or query by its schema; the first thing that is wrong is BAD_REQUEST and names the field. */
export class SchemaPipe<Schema extends z.ZodType> implements PipeTransform<unknown, z.output<Schema>> {
  constructor(
    private readonly schema: Schema,
    /** What messages call a body that is itself a list. */
    private readonly name?: string,
  ) {}

  transform(given: unknown): z.output<Schema> {
    const value = given === undefined ? {} : given;
    if (isTooDeep(value, DEEPEST)) throw new ApiError('BAD_REQUEST', `body: is nested deeper than ${DEEPEST} levels`);
    const parsed = this.schema.safeParse(value, { error: wording });
    if (parsed.success) return parsed.data;
    throw new ApiError('BAD_REQUEST', describe(parsed.error.issues[0], this.name));
  }
}

/** Reads one parameter of the path. */
export class FieldPipe<Schema extends z.ZodType> implements PipeTransform<unknown, z.output<Schema>> {
  constructor(
    private readonly name: string,
    private readonly schema: Schema,
  ) {}

  transform(given: unknown): z.output<Schema> {
    const parsed = this.schema.safeParse(given, { error: wording });
    if (parsed.success) return parsed.data;
    throw new ApiError('BAD_REQUEST', `${this.name}: ${parsed.error.issues[0]?.message ?? 'is wrong'}`);
  }
}

function describe(issue: z.core.$ZodIssue | undefined, name?: string): string {
  if (!issue) return 'body: is wrong';
  const path = [...(name === undefined ? [] : [name]), ...issue.path];
  if (issue.code === 'unrecognized_keys') return `${[...path, issue.keys[0]].join('.')}: is not a known field`;
  return `${issue.path.length === 0 ? 'body' : path.join('.')}: ${issue.message}`;
}

/** Our own words, so that no message ever repeats what was sent: it may be a secret. */
function wording(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${named(String(issue.expected))}`;
    case 'invalid_value':
      return issue.input === undefined ? 'is required' : `must be one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return `must be at least ${issue.minimum}`;
    case 'too_big':
      return issue.origin === 'array' ? `has more than ${issue.maximum} items` : `must be at most ${issue.maximum}`;
    default:
      return 'is malformed';
  }
}

function named(type: string): string {
  const names: Record<string, string> = {
    string: 'a text',
    number: 'a number',
    int: 'a whole number',
    boolean: 'true or false',
    object: 'an object',
    record: 'an object',
    array: 'a list',
  };
  return names[type] ?? `of type ${type}`;
}
