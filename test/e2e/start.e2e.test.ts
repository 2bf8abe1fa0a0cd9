import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { waitUntil } from '../support/wait-until';
import { call } from './api';

const START = join(__dirname, '..', '..', 'scripts', 'start.mjs');
const demoFile = z.strictObject({
  gateway: z.url(),
  console: z.url(),
  router: z.url(),
  operator: z.object({ email: z.string(), password: z.string() }),
  owner: z.object({ email: z.string(), password: z.string() }),
  credential: z.string(),
  processID: z.string(),
  processKey: z.string(),
  environmentID: z.string(),
});

let local: string;
const running = new Set<ChildProcess>();

interface LocalBatuta {
  child: ChildProcess;
  output(): string;
}

function start(): LocalBatuta {
  const child = spawn(process.execPath, [START], {
    env: { ...process.env, BATUTA_LOCAL: local },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  running.add(child);
  child.once('exit', () => running.delete(child));
  return { child, output: () => output };
}

async function startAndWait(): Promise<LocalBatuta> {
  const batuta = start();
  await waitUntil('the commands are printed', () => hasEnded(batuta) || batuta.output().includes('Ctrl-C stops'), {
    timeoutMs: 120_000,
  });
  if (hasEnded(batuta)) throw new Error(`npm start ended:\n${batuta.output()}`);
  return batuta;
}

function hasEnded({ child }: LocalBatuta): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function interrupt(batuta: LocalBatuta): Promise<number | null> {
  batuta.child.kill('SIGINT');
  await waitUntil('it has stopped', () => hasEnded(batuta), { timeoutMs: 60_000 });
  return batuta.child.exitCode;
}

async function readDemo() {
  return demoFile.parse(JSON.parse(await readFile(join(local, 'demo.json'), 'utf8')));
}

beforeAll(async () => {
  local = await mkdtemp(join(tmpdir(), 'batuta-start-'));
});
afterAll(async () => {
  await Promise.all([...running].map((child) => interrupt({ child, output: () => '' })));
  await rm(local, { recursive: true, force: true });
});

test('the printed commands work as printed, and the demo they start ends in success with readable logs', async () => {
  const batuta = await startAndWait();
  const demo = await readDemo();
  expect((await stat(join(local, 'demo.json'))).mode & 0o777).toBe(0o600);

  const commands = batuta
    .output()
    .split('\n')
    .filter((line) => /^(curl|ANSWER|printf|ID)/.test(line));
  // Nothing is added but the wait for the end between the start and the look at it.
  const ended = `curl -s ${demo.gateway}/v1/instances/$ID -H 'Authorization: Bearer ${demo.credential}' | grep -q finishedAt`;
  const script = commands.flatMap((command) =>
    command.startsWith('ID') ? [command, `until ${ended}; do sleep 0.1; done`] : [command],
  );
  const shell = spawnSync('bash', ['-c', script.join('\n')], { encoding: 'utf8', timeout: 60_000 });
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
  ]);
  expect(JSON.stringify(answers.at(-1))).toContain('of Empório São João: R$ 1.945,91');

  const second = start();
  await waitUntil('the second start gives up', () => hasEnded(second));
  expect(second.child.exitCode).toBe(1);
  expect(second.output()).toContain(
    `runs already from this folder, as process ${batuta.child.pid}: gateway ${demo.gateway}`,
  );

  expect(await interrupt(batuta)).toBe(0);
  await expect(call('GET', `${demo.gateway}/v1/ping`)).rejects.toThrow('fetch failed');
});

test('after a kill -9 the next start goes on with the same data', async () => {
  const killed = await startAndWait();
  const before = await readDemo();
  killed.child.kill('SIGKILL');
  await waitUntil('it is gone', () => hasEnded(killed));

  const next = await startAndWait();
  const after = await readDemo();
  expect(after).toMatchObject({ processID: before.processID, credential: before.credential, owner: before.owner });
  const started = await call('POST', `${after.gateway}/v1/processes/${after.processID}/start`, {
    bearer: after.credential,
    processKey: after.processKey,
  });
  expect(started).toMatchObject({ status: 200, body: { status: 'started' } });
  expect(await interrupt(next)).toBe(0);
});
