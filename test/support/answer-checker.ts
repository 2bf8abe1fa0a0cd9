import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface DescribedRoute {
  /** Matches the paths of the template. */
  path: RegExp;
  /** The path in the document, such as `/runs/{id}`. */
  template: string;
  /** By method in lower case; `responses` by status. */
  methods: Record<string, { responses: Record<string, { headers?: Record<string, unknown> }> }>;
}

interface Answer {
  method: string;
  /** With or without a query. */
  path: string;
  status: number;
  headerNames: string[];
  body: unknown;
}

/** Headers of HTTP itself, of CORS and of every answer, which the documents do not list. */
const UNLISTED_HEADER =
  /^(access-control-.*|cache-control|connection|content-length|content-type|date|keep-alive|transfer-encoding|vary|x-content-type-options)$/;

/**
 * Makes a function that throws when the OpenAPI document does not list the status or a header of an answer, or the code of a refusal, for its
 * route. It ignores paths without a described route, and everything while UPDATE_OPENAPI is set. `name` = the document's file in `docs/openapi`.
 */
export function createAnswerChecker(name: string): (answer: Answer) => void {
  const file = join(__dirname, '../../docs/openapi', name);
  const document: { paths: Record<string, DescribedRoute['methods']> } = JSON.parse(readFileSync(file, 'utf8'));
  // The most literal path first: `/runs/x` before `/runs/{id}`.
  const routes: DescribedRoute[] = Object.entries(document.paths)
    .map(([template, methods]) => ({
      template,
      methods,
      path: new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    }))
    .toSorted((one, other) => one.template.split('{').length - other.template.split('{').length);
  return ({ method, path, status, headerNames, body }) => {
    // The document is about to be written anew from this code.
    if (process.env['UPDATE_OPENAPI']) return;
    const [pathname = ''] = path.split('?');
    const route = routes.find((each) => each.path.test(pathname) && method.toLowerCase() in each.methods);
    if (!route) return;
    const described = route.methods[method.toLowerCase()]?.responses[status];
    // The document names each example of a refusal by its error code.
    const { code }: { code?: unknown } = Object(Object(body).error);
    const isListed = typeof code !== 'string' || JSON.stringify(described ?? '').includes(`"${code}"`);
    const listed = new Set(Object.keys(described?.headers ?? {}).map((each) => each.toLowerCase()));
    const unlisted = headerNames.filter((each) => !UNLISTED_HEADER.test(each) && !listed.has(each));
    if (described !== undefined && isListed && unlisted.length === 0) return;
    throw new Error(`${file} lacks ${[status, code, ...unlisted].join(' ')} of ${method} ${route.template}`);
  };
}
