import type { OpenAPIObject } from '@nestjs/swagger';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWorld, type ConsoleWorld } from '../../test/world';

const CHECKED_IN_DOCUMENT = join(__dirname, '../../../../docs/openapi/console.json');
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const SOME_ID = '01900000-0000-7000-8000-000000000000';

let world: ConsoleWorld;
let document: OpenAPIObject;

beforeAll(async () => {
  world = await createWorld();
  const parsed: OpenAPIObject = JSON.parse(await (await fetch(`${world.url}/manage/v1/openapi.json`)).text());
  document = parsed;
});

afterAll(() => world?.close());

const routes = () =>
  Object.entries(document.paths).flatMap(([template, methods]) => {
    const path = template
      .replace('/manage/v1', '')
      .replace(/\{\w*id\}/g, SOME_ID)
      .replace('{email}', 'a@b.c')
      .replace('{key}', 'K');
    return METHODS.flatMap((method) => {
      const operation = methods[method];
      return operation ? [{ method: method.toUpperCase(), path, operation }] : [];
    });
  });

test('docs/openapi/console.json is the document that the console serves', () => {
  // docs/management-api.md says how to regenerate the file.
  if (process.env['UPDATE_OPENAPI']) writeFileSync(CHECKED_IN_DOCUMENT, `${JSON.stringify(document, null, 2)}\n`);
  expect(existsSync(CHECKED_IN_DOCUMENT) && JSON.parse(readFileSync(CHECKED_IN_DOCUMENT, 'utf8'))).toEqual(document);
});

test('every route but the login refuses anonymous callers', async () => {
  const answers = await Promise.all(
    routes()
      .filter(({ path, method }) => !(path === '/session' && method === 'POST'))
      .map(async ({ method, path }) => {
        const body = method === 'GET' || method === 'DELETE' ? undefined : {};
        return `${method} ${path} ${(await world.anonymous.refusal(method, path, body)).error}`;
      }),
  );
  expect(answers.length).toBeGreaterThan(40);
  expect(answers.filter((answer) => !answer.endsWith(' 401 MISSING_CREDENTIAL'))).toEqual([]);
});

test('every route with a body describes it, and refuses text that is not JSON from callers who may call it', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  const withBody = routes().filter(({ operation }) => operation.requestBody);
  expect(withBody.length).toBeGreaterThan(15);
  for (const { method, path, operation } of withBody) {
    const caller = String(operation.description).includes('For operators') ? world.operator : admin;
    expect(await caller.refusal(method, path, '{"a":')).toMatchObject({ error: '400 BAD_REQUEST' });
  }
});

test('every route but the login names both ways to send the token, and describes its refusals', () => {
  expect(document.openapi).toBe('3.1.0');
  for (const { path, method, operation } of routes()) {
    const open = path === '/session' && method === 'POST';
    expect(operation).toMatchObject({ summary: expect.any(String), description: expect.any(String) });
    expect(operation.security).toEqual(open ? undefined : [{ bearer: [] }, { cookie: [] }]);
    expect(Object.keys(operation.responses)).toEqual(
      expect.arrayContaining(open ? ['401', '500'] : ['401', '403', '500']),
    );
  }
});

test('every response describes X-Request-Id, and RateLimit where calls have a limit, and every 429 Retry-After', () => {
  for (const { path, method, operation } of routes()) {
    const isLimited = !String(operation.description).includes('Needs no login.');
    for (const [status, response] of Object.entries(operation.responses)) {
      const limit = isLimited ? ['RateLimit', 'RateLimit-Policy'] : [];
      const expected = ['X-Request-Id', ...limit, ...(['429', '503'].includes(status) ? ['Retry-After'] : [])];
      const listed = Object.keys(Object(response).headers).filter(
        (name) => !/^(Content-Disposition|ETag|Set-Cookie)$/.test(name),
      );
      expect([method, path, status, listed]).toEqual([method, path, status, expected]);
    }
  }
});

test('no parameter has a list in the property `examples`, which OpenAPI defines as an object there', () => {
  const parameters = routes().flatMap(({ operation }): { schema?: object; examples?: unknown }[] =>
    Object(operation.parameters ?? []),
  );
  expect(parameters.filter(({ examples }) => Array.isArray(examples))).toEqual([]);
  expect(parameters.some(({ schema }) => 'examples' in Object(schema))).toBe(true);
});

test('the document describes every header to which a response refers', () => {
  const used = JSON.stringify(document.paths).matchAll(/#\/components\/headers\/([\w-]+)/g);
  const names = new Set([...used].map(([, name]) => String(name)));
  expect([...names].toSorted()).toEqual(Object.keys(document.components?.headers ?? {}).toSorted());
});

test('a GET with the ETag of an unchanged resource is answered 304, as the document says', async () => {
  const owner = await world.addPerson();
  const { processID } = await owner.must('POST', '/processes', { processName: 'Tagged' });
  for (const path of [`/processes/${String(processID)}/flow`, `/processes/${String(processID)}/matrix`]) {
    const url = `${world.url}/manage/v1${path}`;
    const headers = { Authorization: `Bearer ${owner.token}` };
    const tag = (await fetch(url, { headers })).headers.get('etag') ?? '';
    // Like a browser, `fetch` would otherwise ask servers not to answer 304.
    const again = await fetch(url, { headers: { ...headers, 'If-None-Match': tag, 'Cache-Control': 'max-age=0' } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  }
  const described = routes().flatMap(({ method, path, operation }) =>
    operation.responses['304'] ? [`${method} ${path}`] : [],
  );
  expect(described.toSorted()).toEqual([`GET /processes/${SOME_ID}/flow`, `GET /processes/${SOME_ID}/matrix`]);
});

test('an answer without an ETag is sent also to a client that asks for it only if nothing exists', async () => {
  const owner = await world.addPerson();
  const headers = { Authorization: `Bearer ${owner.token}`, 'If-None-Match': '*', 'Cache-Control': 'max-age=0' };
  expect((await fetch(`${world.url}/manage/v1/processes`, { headers })).status).toBe(200);
});

test('every route without query parameters refuses one that is sent', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  const withoutQuery = routes().filter(
    ({ operation }) => !JSON.stringify(operation.parameters).includes('"in":"query"'),
  );
  expect(withoutQuery.length).toBeGreaterThan(60);
  for (const { method, path, operation } of withoutQuery) {
    const caller = String(operation.description).includes('For operators') ? world.operator : admin;
    const body = method === 'GET' || method === 'DELETE' ? undefined : {};
    expect([method, path, await caller.refusal(method, `${path}?dryRun=true`, body)]).toEqual([
      method,
      path,
      { error: '400 BAD_REQUEST', message: 'dryRun: is not a known field' },
    ]);
    expect(Object.keys(operation.responses)).toContain('400');
  }
});

test.each([
  ['DELETE', 'captures/:id', 'capture'],
  ['DELETE', 'company/event-subscriptions/:id', 'event subscription'],
  ['DELETE', 'credentials/:id', 'credential'],
  ['DELETE', 'environments/:id', 'environment'],
  ['DELETE', 'keys/:id', 'process key'],
  ['DELETE', 'origins/:id', 'webhook origin'],
  ['GET', 'accounts/:id/events', 'account'],
])('%s %s of a missing or malformed id is refused as no such %s', async (method, path, kind) => {
  const admin = await world.addPerson({ role: 'administrator' });
  for (const id of [SOME_ID, 'x']) {
    const refused = await admin.refusal(method, `/${path.replace(':id', id)}`);
    expect(refused).toEqual({ error: '404 NOT_FOUND', message: `No such ${kind}.` });
  }
});

test.each([
  ['companies', { suspended: true }, 'company'],
  ['plans', { scheduling: true }, 'plan'],
])('a change of a missing or malformed id in %s by %j is refused as no such %s', async (path, change, kind) => {
  for (const id of [SOME_ID, 'x']) {
    const refused = await world.operator.refusal('PATCH', `/${path}/${id}`, change);
    expect(refused).toEqual({ error: '404 NOT_FOUND', message: `No such ${kind}.` });
  }
});

test('the document says that a change whose fields are all optional has at least one field', () => {
  const changes = routes()
    .filter(({ method, operation }) => method === 'PATCH' && operation.requestBody)
    .map(({ operation }) => JSON.stringify(operation.requestBody).replace(/^.*schemas\/(\w+)".*$/, '$1'));
  const schemas = changes.map((name) => Object(document.components?.schemas?.[name]));
  const open = schemas.filter(({ required }) => required === undefined);
  expect(open.length).toBeGreaterThanOrEqual(5);
  for (const schema of open) expect(schema).toMatchObject({ minProperties: 1 });
});

test('the document says that every object in a body refuses unknown fields', () => {
  const bodies = Object.entries(document.components?.schemas ?? {}).filter(([name]) => /(Input|Change)$/.test(name));
  expect(bodies.length).toBeGreaterThan(15);
  for (const [, schema] of bodies) expect(schema).toMatchObject({ additionalProperties: false });
});
