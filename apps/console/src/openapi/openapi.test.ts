import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { createWorld, type World } from '../../test/world';

const CHECKED_IN = join(__dirname, '../../../../docs/openapi/console.json');
const SOME_ID = '01900000-0000-7000-8000-000000000000';

const operation = z.looseObject({
  summary: z.string(),
  description: z.string(),
  security: z.array(z.record(z.string(), z.array(z.string()))).optional(),
  requestBody: z.looseObject({ content: z.record(z.string(), z.object({ schema: z.looseObject({}) })) }).optional(),
  responses: z.record(z.string(), z.looseObject({ description: z.string() })),
});
const documentShape = z.looseObject({
  openapi: z.literal('3.1.0'),
  paths: z.record(z.string(), z.record(z.string(), operation)),
});

let world: World;
let document: z.infer<typeof documentShape>;

beforeAll(async () => {
  world = await createWorld();
  document = documentShape.parse(await (await fetch(`${world.url}/manage/v1/openapi.json`)).json());
});

afterAll(() => world?.close());

const routes = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      method: method.toUpperCase(),
      path: path
        .replace('/manage/v1', '')
        .replace(/\{\w*id\}/g, SOME_ID)
        .replace('{email}', 'a@b.c')
        .replace('{key}', 'K'),
      described,
    })),
  );

test('docs/openapi/console.json is what the console describes itself as', () => {
  // docs/management-api.md says how to regenerate it.
  if (process.env['UPDATE_OPENAPI']) writeFileSync(CHECKED_IN, `${JSON.stringify(document, null, 2)}\n`);
  expect(existsSync(CHECKED_IN) && JSON.parse(readFileSync(CHECKED_IN, 'utf8'))).toEqual(document);
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

test('every route that takes a body describes it, and refuses text that is no JSON', async () => {
  const taking = routes().filter(({ described }) => described.requestBody);
  expect(taking.length).toBeGreaterThan(15);
  for (const { method, path } of taking) {
    expect(await world.operator.refusal(method, path, '{"a":')).toMatchObject({ error: '400 BAD_REQUEST' });
  }
});

test('every route but the login names both ways to send the token, and describes its refusals', () => {
  for (const { path, method, described } of routes()) {
    const open = path === '/session' && method === 'POST';
    expect(described.security).toEqual(open ? undefined : [{ bearer: [] }, { cookie: [] }]);
    expect(Object.keys(described.responses)).toEqual(
      expect.arrayContaining(open ? ['401', '500'] : ['401', '403', '500']),
    );
  }
});
