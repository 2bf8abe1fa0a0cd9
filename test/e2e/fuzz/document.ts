import Ajv from 'ajv/dist/2020';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

// What a fuzzer has to know of an OpenAPI document.

const FILES = path.join(__dirname, '../../../docs/openapi');
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

const schema = z.looseObject({});
export type JsonSchema = z.infer<typeof schema>;
const media = z.looseObject({ schema });
const operationShape = z.looseObject({
  parameters: z
    .array(z.looseObject({ name: z.string(), in: z.string(), required: z.boolean().default(false), schema }))
    .default([]),
  requestBody: z.looseObject({ required: z.boolean().default(false), content: z.record(z.string(), media) }).optional(),
  security: z.array(z.record(z.string(), z.unknown())).default([]),
  responses: z.record(z.string(), z.looseObject({ content: z.record(z.string(), media).default({}) })),
});
const documentShape = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.looseObject({ schemas: z.record(z.string(), schema).default({}) }),
});

export interface Operation extends z.infer<typeof operationShape> {
  method: string;
  /** `/v1/processes/{pid}` */
  path: string;
  /** `GET /v1/processes/{pid}` */
  name: string;
}

export interface Description {
  operations: Operation[];
  /** Why an answer's body is not what the document says of the status; undefined when it is. */
  complaint(operation: Operation, status: number, body: unknown): string | undefined;
}

export function readDocument(file: 'gateway.json' | 'console.json'): Description {
  const document = documentShape.parse(JSON.parse(readFileSync(path.join(FILES, file), 'utf8')));
  const operations = Object.entries(document.paths).flatMap(([route, methods]) =>
    METHODS.filter((method) => method in methods).map((method) => ({
      ...operationShape.parse(methods[method]),
      method: method.toUpperCase(),
      path: route,
      name: `${method.toUpperCase()} ${route}`,
    })),
  );
  const ajv = new Ajv({ strict: false, validateFormats: false });
  ajv.addSchema({ ...document, $id: 'document' });
  const complaint: Description['complaint'] = (operation, status, body) => {
    const described = operation.responses[status];
    if (!described) return `the document knows no ${status} of ${operation.name}`;
    const expected = described.content['application/json']?.schema;
    if (!expected) return undefined;
    const validate = ajv.compile(absolute(expected));
    return validate(body) ? undefined : `not as described: ${ajv.errorsText(validate.errors)}`;
  };
  return { operations, complaint };
}

function absolute(value: JsonSchema): JsonSchema {
  return schema.parse(JSON.parse(JSON.stringify(value).replaceAll('"#/components', '"document#/components')));
}
