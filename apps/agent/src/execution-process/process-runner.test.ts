import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { dirname } from 'node:path';
import { waitUntil } from '../../../../test/support/wait-until';
import { HANGING_PROGRAM, isAlive, MISBEHAVING_PROGRAM, RunnerWorld, SILENT_PROGRAM } from '../../test/runner-world';

let world: RunnerWorld;
afterEach(() => world.close());

const STEP = 'Step "odd step": the process of the execution';

describe('death of a process', () => {
  test.each([
    ['exit', 'ended by itself with exit code 3'],
    ['kill', 'was killed (SIGKILL), as an operating system short of memory does'],
    ['abort', 'died (SIGABRT)'],
  ])(
    'after %s a process ends its execution as crashed, and the message names the last step and the reason',
    async (misbehavior, reason) => {
      world = new RunnerWorld(MISBEHAVING_PROGRAM);
      const run = world.beginMisbehaving(misbehavior);
      const errorMessage = `${STEP} ${reason}`;
      expect(await run.end).toEqual({ outcome: 'CRASHED', errorStep: 'odd step', errorMessage });
      expect(run.lines.map(({ message, severity }) => `${severity} ${message}`)).toEqual([
        'INFO began',
        `ERROR ${errorMessage}`,
      ]);
      expect(world.internalErrors).toEqual([`the process of the execution ${reason}`]);
    },
  );

  test.each([
    ['buffers', { BATUTA_AGENT_RUN_MEMORY_MB: '256' }, 'needed more than its share of 256 MB of memory'],
    ['objects', { BATUTA_AGENT_RUN_MEMORY_MB: '128' }, 'needed more than its share of 128 MB of memory'],
    ['spin', { BATUTA_AGENT_RUN_CPU_SECONDS: '1' }, 'needed more than 1 s of processor time'],
  ])(
    'a process beyond a limit by %s crashes its execution and no other, and the message names the last step and the reason',
    async (misbehavior, settings, reason) => {
      world = new RunnerWorld(MISBEHAVING_PROGRAM, settings);
      const neighbour = world.beginMisbehaving('deaf');
      await neighbour.messageWith('waits');
      const { outcome, errorMessage } = await world.beginMisbehaving(misbehavior).end;
      expect(`${outcome}: ${errorMessage}`).toContain(`CRASHED: ${STEP} ${reason}`);
      expect(await Promise.race([neighbour.end, Promise.resolve('goes on')])).toBe('goes on');
    },
  );
});

test('the agent takes a picture of a process, and the process gets the link', async () => {
  world = new RunnerWorld(MISBEHAVING_PROGRAM);
  const run = world.beginMisbehaving('picture');
  expect(await run.messageWith('picture 7')).toBe('picture 7: /evidence/1');
  expect(run.pictures).toEqual([{ bytes: Buffer.from('picture'), mediaType: 'image/png' }]);
});

test('a process cannot open more files than its limit, and the step that tries fails', async () => {
  world = new RunnerWorld(MISBEHAVING_PROGRAM, { BATUTA_AGENT_RUN_OPEN_FILES: '64' });
  expect(await world.beginMisbehaving('files').end).toMatchObject({ outcome: 'ERROR', errorMessage: 'EMFILE' });
});

test('a process has no variable of the agent that could hold a secret', async () => {
  process.env['BATUTA_AGENT_KEY'] = 'activation-key';
  process.env['HTTPS_PROXY'] = 'http://user:password@proxy:3128';
  try {
    world = new RunnerWorld(MISBEHAVING_PROGRAM);
    const seen = await world.beginMisbehaving('environment').messageWith('PATH');
    expect(seen).not.toMatch(/activation-key|password/);
  } finally {
    delete process.env['BATUTA_AGENT_KEY'];
    delete process.env['HTTPS_PROXY'];
  }
});

test('the agent deletes the values of an execution from its memory once the process has them', async () => {
  world = new RunnerWorld(MISBEHAVING_PROGRAM);
  const run = world.begin({ processName: 'values', vault: { KEY: 'secret-1' } });
  await run.messageWith('secret-1');
  expect(JSON.stringify(run.offer)).not.toContain('secret-1');
});

test('after a crash of a process its group, its started programs and its temporary files are removed', async () => {
  world = new RunnerWorld(MISBEHAVING_PROGRAM);
  const run = world.beginMisbehaving('programs');
  const { pids, folder }: { pids: number[]; folder: string } = JSON.parse(await run.messageWith('pids'));
  expect(pids.filter(isAlive)).toEqual(pids);
  process.kill(pids[0] ?? 0, 'SIGKILL');
  expect(await run.end).toMatchObject({ outcome: 'CRASHED' });
  await waitUntil('the programs are gone', () => !pids.some(isAlive));
  expect(existsSync(folder)).toBe(false);
});

test('a stopped execution ends as stopped although its process does not end by itself', async () => {
  world = new RunnerWorld(MISBEHAVING_PROGRAM, {}, { stopGraceMs: 10 });
  const run = world.beginMisbehaving('deaf');
  await run.messageWith('waits');
  run.control.setDesired('stop');
  expect(await run.end).toEqual({ outcome: 'STOPPED', errorStep: null, errorMessage: null });
});

test('each execution begins in a waiting process of its own', async () => {
  world = new RunnerWorld(MISBEHAVING_PROGRAM, { BATUTA_AGENT_WARM_PROCESSES: '1' });
  const [first, second] = [world.beginMisbehaving('programs'), world.beginMisbehaving('programs')];
  const messages = await Promise.all([first.messageWith('pids'), second.messageWith('pids')]);
  const pids = messages.map((text): number => JSON.parse(text).pids[0]);
  expect(new Set(pids).size).toBe(2);
  expect(pids.map((pid) => getPriority(pid))).toEqual([getPriority(), getPriority()]);
});

test('an agent whose temporary folder the system has removed still runs executions', async () => {
  world = new RunnerWorld(MISBEHAVING_PROGRAM, { BATUTA_AGENT_WARM_PROCESSES: '1' });
  const folderOf = async (): Promise<string> =>
    JSON.parse(await world.beginMisbehaving('programs').messageWith('pids')).folder;
  const removed = dirname(await folderOf());
  // The agent may be writing into the folder while it is removed.
  rmSync(removed, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  expect(dirname(await folderOf())).not.toBe(removed);
});

test('an agent that cannot start a process says so until it can again', async () => {
  world = new RunnerWorld(MISBEHAVING_PROGRAM);
  const { folder }: { folder: string } = JSON.parse(await world.beginMisbehaving('programs').messageWith('pids'));
  expect(world.runner.problem()).toBeUndefined();
  const parent = dirname(folder);
  rmSync(parent, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  writeFileSync(parent, 'no folder');
  expect(await world.beginMisbehaving('exit').end).toMatchObject({ outcome: 'CRASHED' });
  expect(world.runner.problem()).toBe('no process for an execution can be started');
  rmSync(parent);
  await waitUntil('a process starts again', () => world.runner.problem() === undefined);
  expect(await world.beginMisbehaving('files').end).toMatchObject({ outcome: 'ERROR' });
});

test('an execution whose process hangs while it starts begins in another one', async () => {
  world = new RunnerWorld(HANGING_PROGRAM, {}, { startLimitMs: 5_000 });
  const run = world.beginMisbehaving('files');
  expect(await run.end).toMatchObject({ outcome: 'ERROR' });
  expect(run.lines.map(({ message }) => message)).toEqual(['began']);
});

test('an execution for which no process starts in time ends as crashed', async () => {
  world = new RunnerWorld(SILENT_PROGRAM, {}, { startLimitMs: 10 });
  expect(await world.beginMisbehaving('exit').end).toEqual({
    outcome: 'CRASHED',
    errorStep: null,
    errorMessage: 'the process of the execution did not start within 0.01 s',
  });
});

test('an agent that cannot start processes ends its executions as crashed', async () => {
  world = new RunnerWorld('/no/such/program.js');
  const end = await world.beginMisbehaving('exit').end;
  expect(end).toEqual({
    outcome: 'CRASHED',
    errorStep: null,
    errorMessage: 'the process of the execution ended by itself with exit code 1',
  });
  expect(world.runner.problem()).toBe('no process for an execution can be started');
});
