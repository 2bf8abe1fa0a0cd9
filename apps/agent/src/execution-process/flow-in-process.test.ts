import { execFileSync } from 'node:child_process';
import type { Step } from '@batuta/flow';
import { waitUntil } from '../../../../test/support/wait-until';
import { ensureBrowser } from '../../../../scripts/lib/servers.cjs';
import { browserProcesses } from '../../test/browser-processes';
import { PageServer } from '../../test/page-server';
import { buildRunProgram, type RunProgram } from '../../test/run-program';
import { RunnerWorld } from '../../test/runner-world';

// The program that runs an execution, bundled from the sources as in the product; the tests start it in real processes.

let program: RunProgram;
let world: RunnerWorld;
beforeAll(async () => {
  program = await buildRunProgram();
  world = new RunnerWorld(program.path, { BATUTA_SANDBOX_FORMULA_SECONDS: '60', BATUTA_SANDBOX_SCRIPT_SECONDS: '60' });
});
afterAll(async () => {
  await world.close();
  program.remove();
});

const flowOf = (...steps: Step[]) => ({ flow: { start: steps[0]?.name, steps } });
const ENDLESS_STEP: Step = { name: 'loop', type: 'script', code: 'for (;;);' };

test('the lines, the answer and the end of a flow in a process arrive in order', async () => {
  const steps: Step[] = [
    {
      name: 'sum',
      type: 'variables',
      rows: [{ name: 'total', mode: 'Fórmula', value: '{matrix.count} * 2' }],
      routes: [{ when: '{total} > 5', to: 'answer' }],
    },
    { name: 'answer', type: 'webhookResponse', body: '{"ok":true}' },
  ];
  const matrix = [{ name: 'count', type: 'Número', value: 3 }];
  const run = world.begin({ ...flowOf(...steps), matrix, awaited: true });
  expect(await run.end).toEqual({ outcome: 'FINALIZED', errorStep: null, errorMessage: null });
  expect(run.answers).toEqual([{ code: 200, body: '{"ok":true}', masked: null }]);
  expect(run.lines.map(({ message }) => message).slice(0, 2)).toEqual(['Step "sum": started', 'Step "sum": total = 6']);
});

test('a flow that the agent does not understand ends in error', async () => {
  const end = await world.begin({ flow: { start: 'a', steps: [{ name: 'a', type: 'dance' }] } }).end;
  expect(end).toMatchObject({ outcome: 'ERROR' });
  expect(end.errorMessage).toContain('does not understand the flow');
});

test('a stop ends the script of its execution in mid-run, and another execution continues', async () => {
  const [stopped, neighbour] = [world.begin(flowOf(ENDLESS_STEP)), world.begin(flowOf(ENDLESS_STEP))];
  await Promise.all([stopped.messageWith('started'), neighbour.messageWith('started')]);
  stopped.control.setDesired('stop');
  expect(await stopped.end).toEqual({ outcome: 'STOPPED', errorStep: null, errorMessage: null });
  expect(await Promise.race([neighbour.end, Promise.resolve('goes on')])).toBe('goes on');
  neighbour.control.setDesired('stop');
  await neighbour.end;
});

/** Ids of this machine's processes whose command line contains the text. */
function processesWith(text: string): number[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,args='], { encoding: 'utf8', maxBuffer: 2 ** 26 }).split('\n');
  return rows.filter((row) => row.includes(text)).map((row) => Number.parseInt(row, 10));
}

describe('browser', () => {
  let pages: PageServer;
  let browsing: RunnerWorld;
  beforeAll(async () => {
    pages = await PageServer.create({ '/': '<p id="shown">fine</p>' });
    browsing = new RunnerWorld(program.path, { BATUTA_AGENT_BROWSER: await ensureBrowser() });
  });
  afterAll(async () => {
    await browsing.close();
    pages.close();
  });

  const open = () => ({ action: 'open', url: pages.url }) as const;

  test('a browser works in the process of its execution, and ends with the execution', async () => {
    const look: Step = {
      name: 'look',
      type: 'browser',
      actions: [open(), { action: 'readText', selector: '#shown' }, { action: 'screenshot' }],
      as: 'text',
      routes: [{ when: '{text} == "fine"', to: 'wait' }],
    };
    const run = browsing.begin(flowOf(look, { name: 'wait', type: 'wait', seconds: 600 }));
    await run.messageWith('Step "wait": started');
    expect(run.pictures).toHaveLength(1);
    expect(run.lines.map(({ evidence }) => evidence)).toContain('/evidence/1');
    expect(browserProcesses()).not.toEqual([]);
    run.control.setDesired('stop');
    expect(await run.end).toMatchObject({ outcome: 'STOPPED' });
    expect(browserProcesses()).toEqual([]);
  });

  test('a browser ends with a process that is killed', async () => {
    const look: Step = { name: 'look', type: 'browser', actions: [open()], routes: [{ to: 'wait' }] };
    const run = browsing.begin(flowOf(look, { name: 'wait', type: 'wait', seconds: 3600 }));
    await run.messageWith('Step "wait": started');
    // The folders of a browser lie inside of the folder of its execution.
    const browsers = () => processesWith(`batuta-agent-${process.pid}-`).filter((pid) => !executions.includes(pid));
    const executions = processesWith(program.path);
    expect(browsers().length).toBeGreaterThan(0);
    for (const pid of executions) process.kill(pid, 'SIGKILL');
    expect(await run.end).toMatchObject({ outcome: 'CRASHED', errorStep: 'wait' });
    await waitUntil('the browser is gone', () => browsers().length === 0);
  });
});

test('a paused execution continues after it is resumed', async () => {
  const run = world.begin(flowOf({ name: 'only', type: 'variables' }));
  run.control.setDesired('pause');
  await run.messageWith('paused');
  run.control.setDesired('run');
  expect(await run.end).toMatchObject({ outcome: 'FINALIZED' });
});

test('a suspended execution begins no step’s action before it may act again', async () => {
  const answer: Step = { name: 'answer', type: 'webhookResponse', body: '1' };
  const first: Step = { name: 'first', type: 'wait', seconds: 0.2, routes: [{ to: 'answer' }] };
  const suspended = world.begin({ ...flowOf(first, answer), awaited: true });
  suspended.control.setSuspended(true);
  await suspended.messageWith('started');
  await world.begin({ ...flowOf(first, answer), awaited: true }).end;
  expect(suspended.answers).toEqual([]);
  suspended.control.setSuspended(false);
  expect(await suspended.end).toMatchObject({ outcome: 'FINALIZED' });
  expect(suspended.answers).toHaveLength(1);
});

test('a flow waits while the agent does not take its lines', async () => {
  const steps: Step[] = [{ name: 'loop', type: 'variables', routes: [{ to: 'loop' }] }];
  const run = world.begin(flowOf(...steps), { takesLines: false });
  await waitUntil('the flow waits', async () => {
    const before = run.lines.length;
    await new Promise((resolve) => setTimeout(resolve, 100));
    return before > 0 && run.lines.length === before;
  });
  expect(run.lines.length).toBeLessThanOrEqual(60);
  run.control.setDesired('stop');
});

test.each([
  ['a script that leaves the process', 'return process.exit(1)', /process/],
  ['a script that reads a file', 'return require("node:fs").readFileSync("/etc/passwd")', /require/],
  ['a script that reads the environment', 'return globalThis.process.env', /undefined|process/],
])('%s fails its step, and onError is taken', async (_what, code, reason) => {
  const steps: Step[] = [
    { name: 'bad', type: 'script', code, onError: [{ to: 'caught' }] },
    {
      name: 'caught',
      type: 'variables',
      rows: [{ name: 'why', mode: 'Variável ou texto', value: '{errorDescription}' }],
    },
  ];
  const run = world.begin(flowOf(...steps));
  expect(await run.end).toMatchObject({ outcome: 'FINALIZED' });
  expect(run.lines.map(({ message }) => message).join('\n')).toMatch(reason);
});

test('a script that changes prototypes changes nothing for the next step', async () => {
  const code = 'Object.prototype.polluted = 1; Array.prototype.map = () => 1; return "{}".__proto__.constructor.name';
  const steps: Step[] = [
    { name: 'bad', type: 'script', code, routes: [{ to: 'next' }] },
    { name: 'next', type: 'script', code: 'return [typeof ({}).polluted, [1].map(() => 2)]', as: 'seen' },
  ];
  const run = world.begin(flowOf(...steps));
  expect(await run.end).toMatchObject({ outcome: 'FINALIZED' });
  await run.messageWith('seen = ["undefined",[2]]');
});

test('a flow that needs more than its memory ends with an error that names the step, and another execution continues', async () => {
  const neighbour = world.begin(flowOf(ENDLESS_STEP));
  await neighbour.messageWith('started');
  const small = new RunnerWorld(program.path, { BATUTA_AGENT_RUN_MEMORY_MB: '160' });
  const steps: Step[] = [
    { name: 'seed', type: 'script', code: 'return "x".repeat(1000000)', as: 'a', routes: [{ to: 'grow' }] },
    {
      name: 'grow',
      type: 'variables',
      rows: [{ name: 'a', mode: 'Variável ou texto', value: '{a}{a}' }],
      routes: [{ to: 'grow' }],
    },
  ];
  const end = await small.begin(flowOf(...steps)).end;
  expect(end).toMatchObject({ outcome: 'CRASHED', errorStep: 'grow' });
  expect(end.errorMessage).toContain('needed more than its share of 160 MB of memory');
  await small.close();
  expect(await Promise.race([neighbour.end, Promise.resolve('goes on')])).toBe('goes on');
  neighbour.control.setDesired('stop');
  await neighbour.end;
});
