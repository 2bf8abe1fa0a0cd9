import request from 'supertest';
import { readGatewayConfig } from '../config';
import { createTenant, startWorld, type GatewayWorld } from '../../test/world';

const PAGE_ORIGIN = 'https://erp.example.com';
let worldWithoutCors: GatewayWorld;
let worldWithCors: GatewayWorld;

beforeAll(async () => {
  [worldWithoutCors, worldWithCors] = await Promise.all([
    startWorld(),
    startWorld({ CORS_ORIGINS: `${PAGE_ORIGIN}, http://localhost:3000` }),
  ]);
});

afterAll(async () => {
  await worldWithoutCors?.close();
  await worldWithCors?.close();
});

const sendPreflight = ({ gateway }: GatewayWorld, origin: string) =>
  request(gateway.url)
    .options('/v1/processes/x/start')
    .set('Origin', origin)
    .set('Access-Control-Request-Method', 'POST')
    .set('Access-Control-Request-Headers', 'authorization,x-process-key,content-type');

test('without the setting CORS_ORIGINS no page may call the API', async () => {
  const response = await sendPreflight(worldWithoutCors, PAGE_ORIGIN);
  expect([response.status, response.body.error.code]).toEqual([404, 'NOT_FOUND']);
  const answer = await request(worldWithoutCors.gateway.url).get('/v1/ping').set('Origin', PAGE_ORIGIN);
  for (const { headers } of [response, answer]) {
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  }
});

test.each([PAGE_ORIGIN, 'http://localhost:3000'])(
  'a page of the origin %s in the setting may call the API and read the headers of answers',
  async (origin) => {
    const preflight = await sendPreflight(worldWithCors, origin);
    expect(preflight.status).toBe(204);
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-headers': expect.stringMatching(/Authorization.*X-Process-Key/),
      'access-control-allow-methods': expect.stringContaining('POST'),
      'x-request-id': expect.any(String),
    });
    const { credential } = await createTenant(worldWithCors.registry);
    const answer = await request(worldWithCors.gateway.url)
      .get('/v1/me')
      .set('Origin', origin)
      .set('Authorization', `Bearer ${credential.value}`);
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, origin]);
    expect(answer.headers['access-control-expose-headers']).toContain('X-Request-Id,RateLimit');
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
  },
);

test('a page of another origin may not call the API', async () => {
  for (const origin of ['https://evil.example.com', `${PAGE_ORIGIN}.evil.com`, 'null']) {
    expect((await sendPreflight(worldWithCors, origin)).headers['access-control-allow-origin']).toBeUndefined();
  }
});

test.each(['*', 'erp.example.com', `${PAGE_ORIGIN}/`, `${PAGE_ORIGIN},`])(
  'the setting CORS_ORIGINS=%s is refused',
  (CORS_ORIGINS) => {
    const requiredSettings = { DATABASE_URL: 'mysql://h/d', NATS_URL: 'nats://h' };
    expect(() => readGatewayConfig({ ...requiredSettings, CORS_ORIGINS })).toThrow(/CORS_ORIGINS/);
  },
);
