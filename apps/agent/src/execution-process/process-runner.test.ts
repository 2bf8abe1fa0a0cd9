import { existsSync, rmSync } from 'node:fs';
import { getPriority } from 'node:os';
import { dirname } from 'node:path';
import { waitUntil } from '../../../../test/support/wait-until';
import { isAlive, ODD_PROGRAM, RunnerWorld } from '../../test/runner-world';

let world: RunnerWorld;
afterEach(() => world.close());

const STEP = 'Step "odd step": the process of the execution';

describe('a process that dies ends its execution as crashed, and its message names the last step and the reason', () => {
  test.each([
    ['exit', 'ended by itself with exit code 3'],
    ['kill', 'was killed (SIGKILL), as an operating system short of memory does'],
    ['abort', 'died (SIGABRT)'],
  ])('after %s', async (deed, reason) => {
    world = new RunnerWorld(ODD_PROGRAM);
    const run = world.beginOdd(deed);
    const errorMessage = `${STEP} ${reason}`;
    expect(await run.end).toEqual({ outcome: 'CRASHED', errorStep: 'odd step', errorMessage });
    expect(run.lines.map(({ message, severity }) => `${severity} ${message}`)).toEqual([
      'INFO began',
      `ERROR ${errorMessage}`,
    ]);
    expect(world.internalErrors).toEqual([`the process of the execution ${reason}`]);
  });

  test.each([
    ['buffers', { BATUTA_AGENT_RUN_MEMORY_MB: '256' }, 'needed more than its share of 256 MB of memory'],
    ['objects', { BATUTA_AGENT_RUN_MEMORY_MB: '128' }, 'needed more than its share of 128 MB of memory'],
    ['spin', { BATUTA_AGENT_RUN_CPU_SECONDS: '1' }, 'needed more than 1 s of processor time'],
  ])('beyond a limit by %s, while a neighbour goes on', async (deed, settings, reason) => {
    world = new RunnerWorld(ODD_PROGRAM, settings);
    const neighbour = world.beginOdd('deaf');
    await neighbour.messageWith('waits');
    const { outcome, errorMessage } = await world.beginOdd(deed).end;
    expect(`${outcome}: ${errorMessage}`).toContain(`CRASHED: ${STEP} ${reason}`);
    expect(await Promise.race([neighbour.end, Promise.resolve('goes on')])).toBe('goes on');
  });
});

test('a picture of a process is taken by the agent, whose link the process gets', async () => {
  world = new RunnerWorld(ODD_PROGRAM);
  const run = world.beginOdd('picture');
  expect(await run.messageWith('picture 7')).toBe('picture 7: /evidence/1');
  expect(run.pictures).toEqual([{ bytes: Buffer.from('picture'), mediaType: 'image/png' }]);
});

test('a process opens no more files than its limit, which fails what opens them', async () => {
  world = new RunnerWorld(ODD_PROGRAM, { BATUTA_AGENT_RUN_OPEN_FILES: '64' });
  expect(await world.beginOdd('files').end).toMatchObject({ outcome: 'ERROR', errorMessage: 'EMFILE' });
});

test('a process has no variable of the agent that could hold a secret', async () => {
  process.env['BATUTA_AGENT_KEY'] = 'activation-key';
  process.env['HTTPS_PROXY'] = 'http://user:password@proxy:3128';
  try {
    world = new RunnerWorld(ODD_PROGRAM);
    const seen = await world.beginOdd('environment').messageWith('PATH');
    expect(seen).not.toMatch(/activation-key|password/);
  } finally {
    delete process.env['BATUTA_AGENT_KEY'];
    delete process.env['HTTPS_PROXY'];
  }
});

test('the agent forgets the values of an execution when its process has them', async () => {
  world = new RunnerWorld(ODD_PROGRAM);
  const run = world.begin({ processName: 'values', vault: { KEY: 'secret-1' } });
  await run.messageWith('secret-1');
  expect(JSON.stringify(run.offer)).not.toContain('secret-1');
});

test('a crashed process takes its group, the programs it started and its temporary files with it', async () => {
  world = new RunnerWorld(ODD_PROGRAM);
  const run = world.beginOdd('programs');
  const { pids, folder }: { pids: number[]; folder: string } = JSON.parse(await run.messageWith('pids'));
  expect(pids.filter(isAlive)).toEqual(pids);
  process.kill(pids[0] ?? 0, 'SIGKILL');
  expect(await run.end).toMatchObject({ outcome: 'CRASHED' });
  await waitUntil('the programs are gone', () => !pids.some(isAlive));
  expect(existsSync(folder)).toBe(false);
});

test('a stopped execution whose process does not end by itself is stopped all the same', async () => {
  world = new RunnerWorld(ODD_PROGRAM, {}, { stopGraceMs: 10 });
  const run = world.beginOdd('deaf');
  await run.messageWith('waits');
  run.control.setDesired('stop');
  expect(await run.end).toEqual({ outcome: 'STOPPED', errorStep: null, errorMessage: null });
});

test('executions begin in processes that wait, each in one of its own', async () => {
  world = new RunnerWorld(ODD_PROGRAM, { BATUTA_AGENT_WARM_PROCESSES: '1' });
  const [first, second] = [world.beginOdd('programs'), world.beginOdd('programs')];
  const said = await Promise.all([first.messageWith('pids'), second.messageWith('pids')]);
  const pids = said.map((text): number => JSON.parse(text).pids[0]);
  expect(new Set(pids).size).toBe(2);
  expect(pids.map((pid) => getPriority(pid))).toEqual([getPriority(), getPriority()]);
});

test('an agent whose temporary folder the system has removed runs executions as before', async () => {
  world = new RunnerWorld(ODD_PROGRAM, { BATUTA_AGENT_WARM_PROCESSES: '1' });
  const folderOf = async (): Promise<string> => JSON.parse(await world.beginOdd('programs').messageWith('pids')).folder;
  const removed = dirname(await folderOf());
  // The agent may be writing into the folder while it is removed.
  rmSync(removed, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  expect(dirname(await folderOf())).not.toBe(removed);
});

test('an agent that cannot start processes ends its executions as crashed', async () => {
  world = new RunnerWorld('/no/such/program.js');
  const end = await world.beginOdd('exit').end;
  expect(end).toEqual({
    outcome: 'CRASHED',
    errorStep: null,
    errorMessage: 'the process of the execution ended by itself with exit code 1',
  });
});
