import type { OpenAPIObject } from '@nestjs/swagger';
import { ERROR_EXAMPLES } from './refusals';

type Json = Record<string, unknown>;

/**
 * Writes once, under `components`, what routes share: the schemas that stand in `$defs`, so that clients have a name for
 * each, and the examples of refusals. Throws when two different schemas claim one name.
 */
export function shareComponents(document: OpenAPIObject): OpenAPIObject {
  const named = new Map<string, unknown>();
  const paths = moved(document.paths, named);
  const schemas = { ...document.components?.schemas, ...Object.fromEntries([...named].toSorted(byName)) };
  const examples = Object.fromEntries(Object.entries(ERROR_EXAMPLES).filter(([code]) => isUsed(code, paths)));
  return Object.assign({}, document, { paths, components: { ...document.components, schemas, examples } });
}

function isUsed(code: string, paths: unknown): boolean {
  return JSON.stringify(paths).includes(`#/components/examples/${code}"`);
}

function moved(value: unknown, named: Map<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((each) => moved(each, named));
  if (!isObject(value)) return value;
  const { $defs, ...rest } = value;
  if (isObject($defs)) for (const [name, schema] of Object.entries($defs)) claim(name, moved(schema, named), named);
  return Object.fromEntries(
    Object.entries(rest).map(([key, each]) =>
      key === '$ref' && typeof each === 'string'
        ? [key, each.replace('#/$defs/', '#/components/schemas/')]
        : [key, moved(each, named)],
    ),
  );
}

function claim(name: string, schema: unknown, named: Map<string, unknown>): void {
  const known = named.get(name);
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
    throw new Error(`Two different schemas have the id ${name}`);
  }
  named.set(name, schema);
}

function byName([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
