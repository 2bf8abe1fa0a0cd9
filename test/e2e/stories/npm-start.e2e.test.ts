import { spawnSync } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isRunning } from '../../../scripts/lib/process-identity.cjs';
import * as s from '../../support/shape';
import { waitUntil } from '../../support/wait-until';
import { call } from '../support/tenants/api';
import { hasExited, interrupt, LocalBatuta } from '../support/stack/local-batuta';

const processShape = s.object({ pid: s.number, identity: s.text() });

let local: LocalBatuta;

beforeAll(async () => {
  local = await LocalBatuta.inNewFolder();
});
afterAll(() => local?.remove());

test('the printed commands work as printed, and the demo they start ends in success with readable logs', async () => {
  const batuta = await local.startAndWait();
  const demo = await local.readDemo();
  expect((await stat(join(local.folder, 'demo.json'))).mode & 0o777).toBe(0o600);

  const commands = batuta
    .output()
    .split('\n')
    .filter((line) => /^(curl|ANSWER|printf|ID)/.test(line));
  // The test runs the printed commands and only waits for the end of the instance between them.
  const ended = `curl -s ${demo.gateway}/v1/instances/$ID -H 'Authorization: Bearer ${demo.credential}' | grep -q finishedAt`;
  const script = commands.flatMap((command) =>
    command.startsWith('ID') ? [command, `until ${ended}; do sleep 0.1; done`] : [command],
  );
  const shell = spawnSync('bash', ['-c', script.join('\n')], { encoding: 'utf8', timeout: 200_000 });
  const answers = shell.stdout
    .split('\n')
    .filter(Boolean)
    .map((line): unknown => JSON.parse(line));
  expect(answers).toEqual([
    expect.objectContaining({ ok: true }),
    { account: expect.objectContaining({ email: demo.owner.email }) },
    { environments: [expect.objectContaining({ environmentID: demo.environmentID, online: true })] },
    expect.objectContaining({ processID: demo.processID, apiEnabled: true, currentVersion: 1 }),
    expect.objectContaining({ status: 'started' }),
    expect.objectContaining({ processID: demo.processID, status: 'success' }),
    { logs: expect.arrayContaining([expect.objectContaining({ stepID: 'Send the order', severity: 'INFO' })]) },
    { captured: true, captureId: expect.any(String) },
    { instanceID: expect.any(String), status: 'started' },
    // The JSON that the process computes from the request.
    {
      cart: 'C-1042',
      customer: 'Empório São João',
      store: 'Moema',
      goods: 1715.8,
      weightKg: 16.5,
      freight: 51.6,
      total: 1767.4,
    },
  ]);
  expect(JSON.stringify(answers[6])).toContain('of Empório São João: R$ 1.945,91');

  expect(batuta.output()).toContain(`Open ${demo.console}/ in a browser`);
  expect(await (await fetch(`${demo.console}/`)).text()).toContain('<div id="root">');
  // The log-in page offers the account of the demo owner with this call.
  expect(await call('GET', `${demo.console}/manage/v1/session/demo`)).toMatchObject({
    body: { email: demo.owner.email },
  });

  const second = local.start();
  await waitUntil('the second start gives up', () => hasExited(second));
  expect(second.child.exitCode).toBe(1);
  expect(second.output()).toContain(
    `runs already from this folder, as process ${batuta.child.pid}: gateway ${demo.gateway}`,
  );

  expect(await interrupt(batuta)).toBe(0);
  await expect(call('GET', `${demo.gateway}/v1/ping`)).rejects.toThrow('fetch failed');
});

test('after a kill -9 the next npm start continues with the same data', async () => {
  const killed = await local.startAndWait();
  const before = await local.readDemo();
  killed.child.kill('SIGKILL');
  await waitUntil('the killed process has ended', () => hasExited(killed));

  const next = await local.startAndWait();
  const after = await local.readDemo();
  expect(after).toMatchObject({ processID: before.processID, credential: before.credential, owner: before.owner });
  for (const url of ['devUrl', 'prodUrl', 'waitUrl'] as const) {
    expect(new URL(after[url]).pathname).toBe(new URL(before[url]).pathname);
  }
  const started = await call('POST', `${after.gateway}/v1/processes/${after.processID}/start`, {
    bearer: after.credential,
    processKey: after.processKey,
  });
  expect(started).toMatchObject({ status: 200, body: { status: 'started' } });
  expect(await interrupt(next)).toBe(0);
});

test('after the environment of the demo was removed, the next npm start makes another one, in which the demo runs', async () => {
  const first = await local.startAndWait();
  const before = await local.readDemo();
  const login = await call('POST', `${before.console}/manage/v1/session`, { body: before.owner });
  const bearer = String(Object(login.body).token);
  const environment = `${before.console}/manage/v1/environments/${before.environmentID}`;
  // An environment cannot be removed before the executions of the earlier test have ended.
  await waitUntil(
    'the environment is removed',
    async () => (await call('DELETE', environment, { bearer })).status === 200,
  );
  expect(await interrupt(first)).toBe(0);

  const next = await local.startAndWait();
  const after = await local.readDemo();
  expect([after.environmentID === before.environmentID, after.processID]).toEqual([false, before.processID]);
  const started = await call('POST', `${after.gateway}/v1/processes/${after.processID}/start`, {
    bearer: after.credential,
    processKey: after.processKey,
  });
  expect(started).toMatchObject({ status: 200, body: { status: 'started' } });
  expect(await call('POST', after.prodUrl, { body: {} })).toMatchObject({ status: 200 });
  expect(await interrupt(next)).toBe(0);
});

test("npm start says that somebody rotates the activation key of the demo's environment, and the next one gives its agent another key", async () => {
  const first = await local.startAndWait();
  const before = await local.readDemo();
  const login = await call('POST', `${before.console}/manage/v1/session`, { body: before.owner });
  const rotate = `${before.console}/manage/v1/environments/${before.environmentID}/rotate-key`;
  expect(await call('POST', rotate, { bearer: String(Object(login.body).token) })).toMatchObject({
    body: { activationKey: expect.any(String) },
  });
  await waitUntil('the agent is offline', () => first.output().includes('somebody has rotated the key'));
  expect(await interrupt(first)).toBe(0);

  const next = await local.startAndWait();
  expect(next.output()).toContain("Somebody has rotated the key of the demo's environment");
  const { credential, environmentID, processKey } = await local.readDemo();
  expect({ credential, environmentID, processKey }).toEqual({
    credential: before.credential,
    environmentID: before.environmentID,
    processKey: before.processKey,
  });
  expect(await interrupt(next)).toBe(0);
});

test('a SIGTERM to npm alone stops everything that npm start runs', async () => {
  const npm = await local.startAndWait(['npm', 'start']);
  const [script, programs] = await Promise.all(
    ['start.lock', 'running.json'].map(async (name): Promise<unknown> =>
      JSON.parse(await readFile(join(local.folder, name), 'utf8')),
    ),
  );
  const { pid, identity } = processShape.parse(script);
  npm.child.kill('SIGTERM');
  await waitUntil('the script has ended', () => !isRunning(pid, identity));
  const left = s
    .list(processShape, 1)
    .parse(programs)
    .filter((program) => isRunning(program.pid, program.identity));
  expect(left).toEqual([]);
});
