import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Step } from '@batuta/flow';
import { FakeRouter, offerOf, type FakeSession } from '../../../apps/agent/test/fake-router';
import { waitUntil } from '../../support/wait-until';
import { Program } from '../support/stack/program';

// The agent as customers run it, connected to a router that the test plays.

const endlessScript: Step = { name: 'loop', type: 'script', code: 'for (;;);' };
const WAIT_STEP: Step = { name: 'wait', type: 'wait', seconds: 0.1, routes: [{ to: 'wait' }] };

let router: FakeRouter;
let agent: Program;
let session: FakeSession;
/** The folder for temporary files of this agent alone: an agent removes those of dead agents at its start, also those of other tests. */
let temporaryFolder: string;
beforeEach(async () => {
  temporaryFolder = mkdtempSync(join(tmpdir(), 'batuta-agent-test-'));
  router = await FakeRouter.create();
  agent = await Program.start('agent', {
    BATUTA_ROUTER_URL: router.url,
    BATUTA_AGENT_KEY: 'activation-key',
    BATUTA_AGENT_STATE_FOLDER: 'none',
    BATUTA_AGENT_WARM_PROCESSES: '0',
    BATUTA_SANDBOX_SCRIPT_SECONDS: '600',
    TMPDIR: temporaryFolder,
  });
  session = await welcomeNextSession();
});
afterEach(async () => {
  await agent.stop();
  await router.close();
  rmSync(temporaryFolder, { recursive: true, force: true });
});

test('a kill of the agent ends the processes of its executions, and its next start removes their temporary files', async () => {
  const pids = [await beginInstance('i-1', endlessScript), await beginInstance('i-2', WAIT_STEP)];
  const { pid: killed } = agent;
  await agent.kill();
  await waitUntil('the processes are gone', () => processTable().every(([pid = 0]) => !pids.includes(pid)));
  expect(foldersOf(killed)).not.toEqual([]);
  await agent.startAgain();
  await welcomeNextSession();
  await waitUntil('the temporary files are gone', () => foldersOf(killed).length === 0);
});

test('a killed process crashes its execution, and another execution of the agent goes on', async () => {
  const [killed] = [await beginInstance('i-1', endlessScript), await beginInstance('i-2', WAIT_STEP)];
  process.kill(killed, 'SIGKILL');
  const reason = 'was killed (SIGKILL), as an operating system short of memory does';
  expect(await endOf('i-1')).toEqual({
    outcome: 'CRASHED',
    errorStep: 'loop',
    errorMessage: `Step "loop": the process of the execution ${reason}`,
  });
  session.send({ type: 'desired', instanceID: 'i-2', fence: 1, desired: 'stop' });
  expect(await endOf('i-2')).toMatchObject({ outcome: 'STOPPED' });
  await waitUntil('no process is left', () => childProcessIDs().length === 0);
});

/** Awaits the next session of the agent and answers its hello. */
async function welcomeNextSession(): Promise<FakeSession> {
  const next = await router.nextSession();
  await next.next('hello');
  next.welcome();
  return next;
}

/** Begins an instance and waits for its first report; returns the id of the OS process that runs it. */
async function beginInstance(instanceID: string, step: Step): Promise<number> {
  const before = childProcessIDs();
  await session.startInstance(offerOf([step], { instanceID }));
  await reportOf(instanceID);
  const [started = 0] = childProcessIDs().filter((pid) => !before.includes(pid));
  return started;
}

async function endOf(instanceID: string) {
  for (;;) {
    const { end } = await reportOf(instanceID);
    if (end) return end;
  }
}

/** The next report of the instance; acknowledges it, and those of others before it. */
async function reportOf(instanceID: string) {
  for (;;) {
    const report = await session.next('report');
    const { fence, seq } = report;
    session.send({ type: 'ack', instanceID: report.instanceID, fence, seq, accepted: true });
    if (report.instanceID === instanceID) return report;
  }
}

/** The ids of the OS processes that the agent has started and that still run. */
function childProcessIDs(): number[] {
  return processTable().flatMap(([pid = 0, parent]) => (parent === agent.pid ? [pid] : []));
}

/** Id and parent of every OS process of this machine. */
function processTable(): number[][] {
  const text = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  return text.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
}

/** The folders with the temporary files of the agent that had this process id. */
function foldersOf(pid: number | undefined): string[] {
  return readdirSync(temporaryFolder).filter((name) => name.startsWith(`batuta-agent-${pid}-`));
}
