import type { OpenAPIObject } from '@nestjs/swagger';

/** Moves the examples of each parameter into its schema: they are a list, which OpenAPI permits in schemas only. */
export function moveExamplesIntoSchemas({ paths }: OpenAPIObject): void {
  const operations = Object.values(paths).flatMap((methods): object[] => Object.values(methods));
  for (const parameter of operations.flatMap(parametersOf)) {
    const { examples, schema } = parameter;
    if (!Array.isArray(examples)) continue;
    delete parameter.examples;
    Object.assign(Object(schema), { examples });
  }
}

const parametersOf = (operation: object): { examples?: unknown; schema?: unknown }[] =>
  Object(operation).parameters ?? [];
