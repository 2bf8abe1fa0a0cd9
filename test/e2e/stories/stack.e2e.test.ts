import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Flow } from '@batuta/flow';
import packageJson from '../../../package.json';
import { InstalledAgent } from '../support/agent-package';
import { makeEnvironment, makeProcess } from '../support/factories';
import { instanceOf, messagesOf, untilEnded } from '../support/instances';
import { startStack } from '../support/in-process-stack';
import { startProcesses, type Stack } from '../support/stack';

/** Uses the sandbox, which the package brings with it. */
const COMPUTING_FLOW: Flow = {
  start: 'compute',
  steps: [{ name: 'compute', type: 'variables', rows: [{ name: 'sum', mode: 'Fórmula', value: '40 + 2' }] }],
};
let stack: Stack;
afterEach(() => stack.stop());

async function runOnce(): Promise<string> {
  const process = await makeProcess(stack);
  await stack.startAgent(process.environment);
  const { status } = await untilEnded(process.owner, instanceOf(await process.start()));
  return status;
}

test('a start runs on an agent when all services share one process', async () => {
  stack = await startStack();
  expect(await runOnce()).toBe('success');
});

test('the npm package of the agent runs a flow, installed elsewhere, with settings of a file', async () => {
  const agent = InstalledAgent.install();
  try {
    expect(await agent.run(['--version'])).toEqual({ status: 0, stdout: `${packageJson.version}\n` });
    stack = await startStack();
    const environment = await makeEnvironment(stack);
    const file = join(agent.folder, 'agent.json');
    await writeFile(file, JSON.stringify({ url: stack.router, 'key-file': 'key', name: 'From a file' }));
    await writeFile(join(agent.folder, 'key'), `${environment.activationKey}\n`);

    const doctor = await agent.run(['doctor', '--json', '--config', file]);
    expect(JSON.parse(doctor.stdout)).toMatchObject({
      version: packageJson.version,
      checks: expect.arrayContaining([
        { check: 'router', state: 'ok', found: 'the router accepts the activation key' },
      ]),
    });
    const stranger = await agent.run(['doctor', '--url', stack.router, '--key', 'unknown']);
    expect(stranger.stdout).toMatch(/FAULT +router .*status 401/);
    expect(stranger.status).toBe(1);

    const process = await makeProcess(stack, { environment, flow: COMPUTING_FLOW });
    await stack.startAgent({ ...environment, main: agent.program });
    const instanceID = instanceOf(await process.start());
    expect(await untilEnded(process.owner, instanceID)).toMatchObject({ status: 'success' });
    expect((await messagesOf(process.owner, instanceID)).join()).toContain('sum = 42');
  } finally {
    await agent.remove();
  }
});

test('a start runs on an agent when every service has its own process, also after a kill -9', async () => {
  const processes = await startProcesses();
  stack = processes;
  const [gateway] = processes.services.gateway;
  const [execution] = processes.services.execution;
  const before = gateway?.pid;
  await gateway?.kill();
  expect([gateway?.isAlive, execution?.isAlive]).toEqual([false, true]);
  await gateway?.startAgain();
  expect(gateway?.pid).not.toBe(before);
  expect(await runOnce()).toBe('success');
});
