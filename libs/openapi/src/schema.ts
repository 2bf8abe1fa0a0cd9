import { z } from 'zod';

export type Schema = Record<string, unknown>;

/** JSON Schema of what a caller sends: before trimming and defaults. */
export function inputSchema(schema: z.ZodType): Schema {
  return jsonSchema(schema, 'input');
}

/** JSON Schema of what a caller gets. Parts with an `id` in their `meta` stand in `$defs`; see `nameSchemas`. */
export function answerSchema(schema: z.ZodType): Schema {
  return jsonSchema(schema, 'output');
}

/** The fields of a query, each with its own schema; a default or `optional` makes a field optional. */
export function propertiesOf(schema: z.ZodObject): { name: string; required: boolean; schema: Schema }[] {
  return Object.entries(schema.shape).map(([name, field]) => {
    if (!(field instanceof z.ZodType)) throw new Error(`${name} has no schema`);
    return { name, required: !field.safeParse(undefined).success, schema: inputSchema(field) };
  });
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
  const { id: _, ...notes } = z.globalRegistry.get(schema) ?? {};
  return schema instanceof z.ZodDefault ? { default: schema.def.defaultValue, ...notes } : notes;
}
