import Ajv from 'ajv/dist/2020';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as s from '../support/shape';

// The parts of an OpenAPI document that the fuzzer reads.

const DOCUMENT_FOLDER = path.join(__dirname, '../../docs/openapi');
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

const schemaShape = s.dictionary(s.anything);
export type JsonSchema = s.Infer<typeof schemaShape>;
const mediaShape = s.object({ schema: schemaShape });
const operationShape = s.object({
  parameters: s
    .list(s.object({ name: s.text(), in: s.text(), required: s.flag.default(false), schema: schemaShape }))
    .default([]),
  requestBody: s.object({ required: s.flag.default(false), content: s.dictionary(mediaShape) }).optional(),
  description: s.text().optional(),
  security: s.list(s.dictionary(s.anything)).default([]),
  responses: s.dictionary(s.object({ content: s.dictionary(mediaShape).default({}) })),
});
const documentShape = s.object({
  paths: s.dictionary(s.dictionary(s.anything)),
  components: s.object({ schemas: s.dictionary(schemaShape).default({}) }),
});

export interface ApiOperation extends s.Infer<typeof operationShape> {
  method: string;
  /** `/v1/processes/{pid}` */
  path: string;
  /** `GET /v1/processes/{pid}` */
  name: string;
}

export interface ApiDescription {
  operations: ApiOperation[];
  /** How an answer differs from the description of the route: an unknown status, or a body against its schema; undefined when it conforms. */
  violation(operation: ApiOperation, status: number, body: unknown): string | undefined;
}

export function readDocument(file: 'gateway.json' | 'console.json'): ApiDescription {
  const document = documentShape.parse(JSON.parse(readFileSync(path.join(DOCUMENT_FOLDER, file), 'utf8')));
  const operations = Object.entries(document.paths).flatMap(([route, methods]) =>
    METHODS.filter((method) => method in methods).map((method) => ({
      ...readOperation(methods[method], document.components.schemas),
      method: method.toUpperCase(),
      path: route,
      name: `${method.toUpperCase()} ${route}`,
    })),
  );
  const ajv = new Ajv({ strict: false, validateFormats: false });
  ajv.addSchema({ ...document, $id: 'document' });
  const violation: ApiDescription['violation'] = (operation, status, body) => {
    const described = operation.responses[status];
    if (!described) return `the document knows no ${status} of ${operation.name}`;
    const expected = described.content['application/json']?.schema;
    if (!expected) return undefined;
    const validate = ajv.compile(withAbsoluteReferences(expected));
    return validate(body) ? undefined : `not as described: ${ajv.errorsText(validate.errors)}`;
  };
  return { operations, violation };
}

/**
 * Reads an operation, and replaces the references in the schema of its body by the schemas, because bodies are
 * generated from that schema.
 */
function readOperation(value: unknown, schemas: Record<string, JsonSchema>): s.Infer<typeof operationShape> {
  const operation = operationShape.parse(value);
  for (const content of Object.values(operation.requestBody?.content ?? {})) {
    content.schema = schemaShape.parse(inlineReferences(content.schema, schemas));
  }
  return operation;
}

function inlineReferences(part: unknown, schemas: Record<string, JsonSchema>): unknown {
  if (Array.isArray(part)) return part.map((item: unknown) => inlineReferences(item, schemas));
  if (typeof part !== 'object' || part === null) return part;
  const { $ref, ...rest } = schemaShape.parse(part);
  const referred = typeof $ref === 'string' ? schemas[$ref.replace('#/components/schemas/', '')] : undefined;
  const fields = Object.entries({ ...referred, ...rest });
  return Object.fromEntries(fields.map(([name, value]) => [name, inlineReferences(value, schemas)]));
}

/** The schema with references to the whole document, which ajv knows by the name `document`. */
function withAbsoluteReferences(value: JsonSchema): JsonSchema {
  return schemaShape.parse(JSON.parse(JSON.stringify(value).replaceAll('"#/components', '"document#/components')));
}
