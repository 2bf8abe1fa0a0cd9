import { ERROR_CODES } from '@batuta/errors';
import { RESPONSE_CODES } from '@batuta/flow';
import Ajv from 'ajv/dist/2020';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  callGateway,
  createTenant,
  startWorld,
  type HttpMethod,
  type TestTenant,
  type GatewayWorld,
} from '../../test/world';

const CHECKED_IN_DOCUMENT = join(__dirname, '../../../../docs/openapi/gateway.json');

interface MediaTypeObject {
  schema?: object;
  example?: unknown;
  examples?: object;
}
interface OperationObject {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: Record<string, string[]>[];
  responses: Record<string, { description: string; headers?: object; content?: Record<string, MediaTypeObject> }>;
}
interface OpenApiDocument {
  openapi: string;
  paths: Record<string, Partial<Record<HttpMethod, OperationObject>>>;
  components: { schemas: object; examples: object };
}

let world: GatewayWorld;
let tenant: TestTenant;
let document: OpenApiDocument;

beforeAll(async () => {
  world = await startWorld();
  tenant = await createTenant(world.registry);
  document = Object(await (await fetch(`${world.gateway.url}/docs/openapi.json`)).json());
});

afterAll(() => world?.close());

const listOperations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    (['get', 'post', 'patch', 'put', 'delete'] satisfies HttpMethod[]).flatMap((method) => {
      const described = methods[method];
      return described ? [{ method, path, described }] : [];
    }),
  );

/**
 * The error codes in an envelope's schema. For a status that is also a normal answer, the envelope is the first
 * alternative.
 */
const codesOfEnvelope = (schema: unknown): string[] => {
  const envelope = Object(Object(schema).anyOf?.[0] ?? schema);
  return envelope.properties?.error?.properties.code.enum ?? [];
};

/** The refusals that the document lists for a route: their error codes, with their statuses. */
const refusalsOf = ({ responses }: OperationObject) =>
  Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, { content }]) =>
      codesOfEnvelope(content?.['application/json']?.schema).map((code) => ({ status: Number(status), code })),
    );

const pathOf = (path: string) =>
  path
    .replace('{pid}', tenant.processID)
    .replaceAll(/\{\w*id\}/g, tenant.processID)
    .replace('{action}', 'stop');

test('the document is answered to GET, and another method is an unknown route', async () => {
  const response = await fetch(`${world.gateway.url}/docs/openapi.json`, { method: 'POST' });
  expect([response.status, await response.json()]).toMatchObject([404, { error: { code: 'NOT_FOUND' } }]);
});

test('docs/openapi/gateway.json equals the document of the running gateway', () => {
  // docs/api.md says how to regenerate the file.
  if (process.env['UPDATE_OPENAPI']) writeFileSync(CHECKED_IN_DOCUMENT, `${JSON.stringify(document, null, 2)}\n`);
  expect(JSON.parse(readFileSync(CHECKED_IN_DOCUMENT, 'utf8'))).toEqual(document);
});

test('every route under /v1 is described with a unique name', () => {
  expect(document.openapi).toBe('3.1.0');
  expect(listOperations().map(({ method, path }) => `${method} ${path}`)).toEqual(
    expect.arrayContaining([
      'get /v1/ping',
      'get /v1/me',
      'get /v1/environments',
      'get /v1/processes',
      'get /v1/processes/{pid}',
      'get /v1/processes/{pid}/matrix',
      'get /v1/processes/{pid}/executions',
      'post /v1/processes/{pid}/start',
      'get /v1/instances/{iid}',
      'get /v1/instances/{iid}/logs',
      'get /v1/instances/{iid}/evidence/{id}',
      'post /v1/instances/{iid}/{action}',
      'post /v1/hooks/{pid}/{token}',
    ]),
  );
  const undescribed = listOperations().filter(({ described }) => !described.summary || described.tags?.length !== 1);
  expect(undescribed.map(({ path }) => path)).toEqual([]);
  const names = listOperations().map(({ described }) => described.operationId);
  expect(new Set(names).size).toBe(names.length);
});

test('every route lists its codes under the statuses of the table, with an example of each', () => {
  for (const { described } of listOperations()) {
    for (const { status, code } of refusalsOf(described)) {
      expect([code, Object(ERROR_CODES)[code]?.status]).toEqual([code, status]);
      expect(described.responses[status]?.content?.['application/json']?.examples).toHaveProperty(code, {
        $ref: `#/components/examples/${code}`,
      });
      expect(document.components.examples).toHaveProperty(code);
    }
  }
});

test('every code of the external API is listed by some route', () => {
  // MAPPING_UNSAVED, PRECONDITION_FAILED and CONFLICT are codes of the management API; INVALID_RESPONSE is an answer and no refusal.
  const elsewhere = ['MAPPING_UNSAVED', 'PRECONDITION_FAILED', 'CONFLICT', 'INVALID_RESPONSE'];
  const listed = new Set(listOperations().flatMap(({ described }) => refusalsOf(described).map(({ code }) => code)));
  const hidden = Object.keys(ERROR_CODES).filter((code) => !listed.has(code));
  expect(hidden.toSorted()).toEqual(elsewhere.toSorted());
});

test('the route of webhooks describes the JSON of the process, and the id of its instance, for exactly the statuses with which a process may answer', () => {
  const { description = '', responses = {} } = document.paths['/v1/hooks/{pid}/{token}']?.post ?? {};
  const ofProcess = Object.entries(responses).filter(([, { content }]) =>
    JSON.stringify(content ?? null).includes("The process's own JSON."),
  );
  expect(ofProcess.map(([status, { headers }]) => [Number(status), Object(headers)['X-Instance-Id']])).toEqual(
    RESPONSE_CODES.map((status) => [status, expect.anything()]),
  );
  expect(description).toContain(`(${RESPONSE_CODES.slice(0, -1).join(', ')} or ${RESPONSE_CODES.at(-1)})`);
});

test('every route that may be refused for a while describes Retry-After', () => {
  const refusedForAWhile = listOperations().flatMap(({ described: { responses } }) =>
    Object.entries(responses).filter(([status]) => status === '429' || status === '503'),
  );
  expect(refusedForAWhile.length).toBeGreaterThan(20);
  for (const [, { headers }] of refusedForAWhile) expect(headers).toHaveProperty(['Retry-After']);
});

test('every route refuses a request that lacks one of the credentials in its description', async () => {
  for (const { method, path, described } of listOperations()) {
    const needs = described.security?.flatMap(Object.keys) ?? [];
    const bare = await callGateway(world.gateway.url, method, pathOf(path));
    const keyless = await callGateway(world.gateway.url, method, pathOf(path), { credential: tenant.credential.value });
    const codes = [bare.body, keyless.body].map((body: unknown) => Object(body).error?.code);
    expect([path, codes[0] === 'MISSING_CREDENTIAL', codes[1] === 'MISSING_PROCESS_KEY']).toEqual([
      path,
      needs.includes('accountCredential'),
      needs.includes('processKey'),
    ]);
  }
});

test('no parameter has a list in the property `examples`, which OpenAPI defines as an object there', () => {
  const parameters = listOperations().flatMap(
    ({ described }): { examples?: unknown }[] => Object(described).parameters ?? [],
  );
  expect(parameters.filter(({ examples }) => Array.isArray(examples))).toEqual([]);
});

test('every example fits the schema of its answer', () => {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'document');
  const absolute = (schema: unknown): object =>
    Object(JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"document#/components')));
  let examples = 0;
  for (const { path, method, described } of listOperations()) {
    for (const [status, { content, headers }] of Object.entries(described.responses)) {
      expect(headers).toHaveProperty(['X-Request-Id']);
      if (Number(status) >= 400) continue;
      for (const [mediaType, { schema, example }] of Object.entries(content ?? {})) {
        // JSON cannot hold an example of a picture.
        if (mediaType.startsWith('image/')) continue;
        const validate = ajv.compile(absolute(schema));
        expect([method, path, status, validate(example), validate.errors]).toEqual([method, path, status, true, null]);
        examples += 1;
      }
    }
  }
  expect(examples).toBeGreaterThan(10);
});

describe('documentation', () => {
  test('/docs shows Swagger UI to everyone, from this server alone', async () => {
    const page = await callGateway(world.gateway.url, 'get', '/docs');
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'");
    expect(page.text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    // The content security policy forbids inline scripts and handlers.
    expect(page.text).not.toMatch(/<script(?![^>]*src=)|\son\w+="/);
    const linked = [...page.text.matchAll(/(?:src|href)="(\.\/docs\/[^"]+)"/g)].map(([, link]) => String(link));
    expect(linked).toEqual(expect.arrayContaining(['./docs/swagger-ui-bundle.js', './docs/swagger-ui-init.js']));
    for (const link of linked) {
      const asset = await fetch(new URL(link, `${world.gateway.url}/docs`));
      expect([link, asset.status]).toEqual([link, 200]);
    }
  });

  test.each([
    ['Range', 'bytes=999999999-', 416, 'BAD_REQUEST'],
    ['If-Match', '"other"', 412, 'PRECONDITION_FAILED'],
  ])('/docs refuses %s: %s of an asset with %i and the envelope', async (name, value, status, code) => {
    const refused = await fetch(`${world.gateway.url}/docs/swagger-ui.css`, { headers: { [name]: value } });
    expect([refused.status, await refused.json()]).toEqual([status, { error: { code, message: expect.any(String) } }]);
  });

  test('/docs returns the envelope for an unknown asset', async () => {
    const missing = await callGateway(world.gateway.url, 'get', '/docs/none.js');
    expect([missing.status, missing.body]).toEqual([
      404,
      { error: { code: 'NOT_FOUND', message: expect.any(String) } },
    ]);
  });
});
