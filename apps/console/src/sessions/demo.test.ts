import { request } from 'node:http';
import { createWorld, type ConsoleWorld } from '../../test/world';
import { readConsoleConfig } from '../config';
import { createConsole } from '../app';

let world: ConsoleWorld;
let demo: { url: string; close(): Promise<void> };
let owner: { email: string; id: string };

beforeAll(async () => {
  world = await createWorld();
  owner = await world.addPerson({ role: 'administrator' });
  demo = await createConsole({ ...world.config, DEMO_ACCOUNT_EMAIL: owner.email }, {});
});
afterAll(async () => {
  await demo?.close();
  await world?.close();
});

const JSON_TYPE = { 'content-type': 'application/json' };
const post = (headers: Record<string, string>, url = demo.url) =>
  fetch(`${url}/manage/v1/session/demo`, { method: 'POST', headers });

test('the console of npm start offers its demo account and logs it in without the password', async () => {
  const offer = await fetch(`${demo.url}/manage/v1/session/demo`);
  expect(await offer.json()).toEqual({ email: owner.email });
  const answer = await post(JSON_TYPE);
  expect([answer.status, answer.headers.get('set-cookie')]).toEqual([201, expect.stringMatching(/HttpOnly/)]);
  const me = await fetch(`${demo.url}/manage/v1/me`, { headers: { cookie: answer.headers.get('set-cookie') ?? '' } });
  expect(await me.json()).toMatchObject({ accountID: owner.id });
});

test('without DEMO_ACCOUNT_EMAIL no account is offered, and no demo login succeeds', async () => {
  expect(await world.anonymous.must('GET', '/session/demo')).toEqual({ email: null });
  expect((await post(JSON_TYPE, world.url)).status).toBe(404);
});

test('a page of another site cannot log in as the demo account, not even under a name that resolves to this machine', async () => {
  expect((await post({ 'content-type': 'text/plain' })).status).toBe(403);
  expect(await callAs('evil.example')).toBe(404);
});

test.each(['0.0.0.0', '10.0.0.7', 'console.example.com'])(
  'a console that listens at %s refuses the setting DEMO_ACCOUNT_EMAIL',
  (HOST) => {
    const env = {
      DATABASE_URL: 'mysql://user:password@127.0.0.1:1/batuta',
      NATS_URL: 'nats://127.0.0.1:1',
      SECRET_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
      OPERATOR_EMAIL: 'operator@example.com',
      OPERATOR_PASSWORD: 'long enough to be one',
      GATEWAY_PUBLIC_URL: 'https://api.example.com',
      DEMO_ACCOUNT_EMAIL: 'owner@demo.batuta.local',
    };
    expect(() => readConsoleConfig({ ...env, HOST })).toThrow(/DEMO_ACCOUNT_EMAIL/);
    expect(readConsoleConfig({ ...env, HOST: '127.0.0.1' }).DEMO_ACCOUNT_EMAIL).toBe(env.DEMO_ACCOUNT_EMAIL);
  },
);

/** The status of a login with another Host header, which `fetch` cannot set. */
function callAs(host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(demo.url);
    const headers = { ...JSON_TYPE, host };
    request({ hostname, port, path: '/manage/v1/session/demo', method: 'POST', headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on('error', reject)
      .end();
  });
}
