import type { IncomingMessage, ServerResponse } from 'node:http';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startWebServer, type WebServer } from '../../support/web-server';
import { InstalledPackage } from '../support/packages/installed-package';

// The npm package of the client, installed elsewhere, as integrators use it. A server stands in for the gateway.

const TYPESCRIPT = join(__dirname, '..', '..', '..', 'node_modules', 'typescript', 'bin', 'tsc');
const INSTANCE = { instanceID: 'i1', processID: 'p1', processName: 'Orders' };
const END = { ...INSTANCE, status: 'success', finishedAt: '2026-11-20T14:03:09.480Z' };
const EVENTS = `event: log\nid: 1\ndata: {"message":"hello"}\n\nevent: status\nid: 1.end\ndata: ${JSON.stringify(END)}\n\n`;

const USE_OF_CLIENT = `
async function use(url) {
  const batuta = new Batuta({ url, credential: 'bat_live_a.b' });
  const ended = await batuta.process('p1', 'bpk_1').startAndWait({ matrix: { total: 1 } }, { within: 60000 });
  const seen = [];
  for await (const { event, data } of batuta.instance(ended.instanceID).events()) seen.push(event + ' ' + (data.message ?? data.status));
  const refused = await batuta.me().catch((error) => error);
  console.log(JSON.stringify([ended.status, seen, refused instanceof BatutaError, refused.code, refused.requestID]));
}
`;

/** What an integrator writes: a wrong field, status or event does not compile. */
const TYPED_USE = `
import { Batuta, BatutaError, BatutaUnreachable, StillInProgress, hasEnded, retry, type Instance, type InstanceEvent } from '@batuta/client';

export async function use(batuta: Batuta): Promise<number> {
  const order = batuta.process('p1', 'bpk_1');
  const ended = await order.startAndWait({ matrix: { total: 1 } }, { within: 1_000, idempotencyKey: 'order-1' });
  const status: 'success' | 'error' | 'terminated' | 'stopped' | 'queued' | 'running' | 'unknown' = ended.status;
  const instance: Instance = await retry(() => batuta.instance(ended.instanceID).status(), { within: 1_000 });
  if (!hasEnded(instance)) instance.startedAt satisfies number;
  const last: InstanceEvent[] = [];
  for await (const event of batuta.instance('i').events({ lastEventID: '7' })) last.push(event);
  const { data } = await batuta.http.GET('/v1/processes/{pid}/executions', {
    params: { path: { pid: 'p1' }, query: { limit: 10 } },
    headers: { 'X-Process-Key': 'bpk_1' },
  });
  try {
    await order.start();
  } catch (error) {
    if (error instanceof BatutaError && error.code === 'RATE_LIMITED') return error.retryAfter ?? 1;
    if (error instanceof BatutaUnreachable || error instanceof StillInProgress) return -1;
  }
  // @ts-expect-error -- no such status
  const wrong: 'gone' = status;
  // @ts-expect-error -- no such route
  await batuta.http.GET('/v1/nothing');
  return data?.executions.length ?? wrong.length;
}
`;

let client: InstalledPackage;
let gateway: WebServer;
let url: string;
let starts: (string | undefined)[];

beforeAll(async () => {
  client = InstalledPackage.install('client');
  gateway = await startWebServer((request, response) => answer(request, response));
  url = gateway.url;
});
beforeEach(() => {
  starts = [];
});
afterAll(async () => {
  await gateway?.stop();
  await client?.remove();
});

/** Loses the first start, tells the second one to wait, and accepts the third one. */
function answer({ method, url: path, headers }: IncomingMessage, response: ServerResponse): void {
  const reply = (status: number, body: unknown, more: Record<string, string> = {}) =>
    response
      .writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'r1', ...more })
      .end(JSON.stringify(body));
  if (method === 'POST') {
    starts.push(headers['idempotency-key']?.toString());
    if (starts.length === 1) response.destroy();
    else if (starts.length === 2) reply(429, refusalBody('RATE_LIMITED'), { 'retry-after': '0' });
    else reply(200, { instanceID: 'i1', status: 'started' });
  } else if (path === '/v1/instances/i1') reply(200, END);
  else if (path === '/v1/instances/i1/events')
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(EVENTS);
  else reply(401, refusalBody('INVALID_CREDENTIAL'));
}

const refusalBody = (code: string) => ({ error: { code, message: 'm' } });

test.each([
  ['an ES module', 'use.mjs', `import { Batuta, BatutaError } from '@batuta/client';`],
  ['CommonJS', 'use.cjs', `const { Batuta, BatutaError } = require('@batuta/client');`],
])(
  'the installed client as %s starts with one idempotency key, awaits the end and follows the events',
  async (_, file, load) => {
    await writeFile(join(client.folder, file), `${load}\n${USE_OF_CLIENT}\nuse(process.argv[2]);\n`);
    const { status, stdout, stderr } = await client.run(file, [url]);
    expect([status, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toEqual(['success', ['log hello', 'status success'], true, 'INVALID_CREDENTIAL', 'r1']);
    expect([starts.length, new Set(starts).size, starts[0]]).toEqual([3, 1, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  },
);

test('an ES module and a CommonJS module share the classes of the installed client', async () => {
  const text = `import { createRequire } from 'node:module'; import * as client from '@batuta/client';
    const required = createRequire(import.meta.url)('@batuta/client');
    console.log(Object.keys(required).every((name) => required[name] === client[name]), Object.keys(required).length > 5);`;
  await writeFile(join(client.folder, 'both.mjs'), text);
  expect(await client.run('both.mjs')).toMatchObject({ status: 0, stdout: 'true true\n' });
});

test('the types of the installed client hold for ES modules and for CommonJS', async () => {
  const options = {
    strict: true,
    noEmit: true,
    target: 'es2022',
    module: 'nodenext',
    lib: ['es2023', 'dom'],
    types: [],
    skipDefaultLibCheck: true,
  };
  await writeFile(
    join(client.folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, files: ['use.mts', 'use.cts'] }),
  );
  for (const file of ['use.mts', 'use.cts']) await writeFile(join(client.folder, file), TYPED_USE);
  expect(await client.run(TYPESCRIPT, ['--project', client.folder])).toEqual({ status: 0, stdout: '', stderr: '' });
});
