import { ERROR_CODES, type ErrorCode } from '@batuta/errors';
import { z } from 'zod';

type Schema = Record<string, unknown>;

/** What a caller sends: before trimming and defaults. */
export function inputSchema(schema: z.ZodType): Schema {
  return jsonSchema(schema, 'input');
}

/** What a caller gets. */
export function answerSchema(schema: z.ZodType): Schema {
  return jsonSchema(schema, 'output');
}

export function propertiesOf(schema: z.ZodObject): { name: string; schema: Schema }[] {
  return Object.entries(schema.shape).map(([name, field]) => {
    if (!(field instanceof z.ZodType)) throw new Error(`${name} has no schema`);
    return { name, schema: inputSchema(field) };
  });
}

export function errorAnswer(
  status: number,
  codes: ErrorCode[],
): { status: number; description: string; schema: Schema } {
  const words = codes.map((code) => `\`${code}\`: ${ERROR_CODES[code].when}`);
  const [code = 'INTERNAL'] = codes;
  return {
    status,
    description: words.join('\n'),
    schema: {
      allOf: [{ $ref: '#/components/schemas/Error' }],
      examples: [{ error: { code, message: ERROR_CODES[code].when } }],
    },
  };
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Schema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema: made }) => {
      // Of what trims or converts, zod leaves out examples and defaults.
      Object.assign(made, schemaNotes(zodSchema));
      if (made.format !== undefined) delete made.pattern;
      // An answer may gain fields.
      if (io === 'output' && made.additionalProperties === false) delete made.additionalProperties;
    },
  });
  return rest;
}

function schemaNotes(schema: z.core.$ZodType): Schema {
  const byDefault = schema instanceof z.ZodDefault ? { default: schema.def.defaultValue } : {};
  return { ...byDefault, ...z.globalRegistry.get(schema) };
}
