import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface DescribedRoute {
  path: RegExp;
  template: string;
  /** By method in lower case; `responses` by status. */
  methods: Record<string, { responses: Record<string, unknown> }>;
}

const document: { paths: Record<string, DescribedRoute['methods']> } = JSON.parse(
  readFileSync(join(__dirname, '../../../docs/openapi/console.json'), 'utf8'),
);

// The most literal path first: `/runs/x` before `/runs/{id}`.
const routes: DescribedRoute[] = Object.entries(document.paths)
  .map(([template, methods]) => ({
    template,
    methods,
    path: new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }))
  .toSorted((one, other) => one.template.split('{').length - other.template.split('{').length);

/**
 * Throws when the document of the API does not list the status of an answer, or the code of a refusal, for its route. Paths without a
 * described route pass.
 */
export function requireDescribed(method: string, path: string, status: number, code?: string): void {
  const [pathname = ''] = `/manage/v1${path}`.split('?');
  const route = routes.find((each) => each.path.test(pathname) && method.toLowerCase() in each.methods);
  if (!route) return;
  const described = route.methods[method.toLowerCase()]?.responses[status];
  // The document names each example of a refusal by its error code.
  const isListed = described !== undefined && (code === undefined || JSON.stringify(described).includes(`"${code}"`));
  if (!isListed)
    throw new Error(`docs/openapi/console.json lacks ${status} ${code ?? ''} of ${method} ${route.template}`);
}
