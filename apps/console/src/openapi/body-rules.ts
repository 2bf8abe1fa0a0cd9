import type { OpenAPIObject } from '@nestjs/swagger';

const SCHEMA_PREFIX = '#/components/schemas/';

/**
 * Declares in every schema of a request body that unknown fields are refused, because the ValidationPipe refuses them.
 */
export function declareUnknownFieldsRefused({ paths, components }: OpenAPIObject): void {
  const schemas = components?.schemas ?? {};
  const pending = Object.values(paths)
    .flatMap((methods): object[] => Object.values(methods))
    .flatMap((operation) => ('requestBody' in operation ? namesIn(operation.requestBody) : []));
  const closed = new Set<string>();
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const schema = schemas[name];
    if (!schema || closed.has(name)) continue;
    closed.add(name);
    Object.assign(schema, { additionalProperties: false });
    pending.push(...namesIn(schema));
  }
}

/** Declares that a body of a PATCH whose fields are all optional has at least one field, because `requireChange` requires it. */
export function declareOneFieldRequired({ paths, components }: OpenAPIObject): void {
  for (const { patch } of Object.values(paths)) {
    for (const name of namesIn(patch?.requestBody)) {
      const schema = components?.schemas?.[name];
      if (schema && !('required' in schema)) Object.assign(schema, { minProperties: 1 });
    }
  }
}

/** The names of the schemas to which a part of the document refers. */
function namesIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]: [string, unknown]) =>
    key === '$ref' && typeof value === 'string' && value.startsWith(SCHEMA_PREFIX)
      ? [value.slice(SCHEMA_PREFIX.length)]
      : namesIn(value),
  );
}
