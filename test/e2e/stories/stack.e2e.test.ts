import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Flow } from '@batuta/flow';
import packageJson from '../../../package.json';
import { makeEnvironment, makeProcess } from '../support/tenants/factories';
import { InstalledPackage } from '../support/packages/installed-package';
import { instanceOf, messagesOf, untilEnded } from '../support/tenants/instances';
import { Program } from '../support/stack/program';
import { startStack } from '../support/stack/in-process-stack';
import { startServiceProcesses, type Stack } from '../support/stack/stack';

/** A flow that needs the sandbox of the agent, which its package contains. */
const COMPUTING_FLOW: Flow = {
  start: 'compute',
  steps: [{ name: 'compute', type: 'variables', rows: [{ name: 'sum', mode: 'Fórmula', value: '40 + 2' }] }],
};
async function runOnce(stack: Stack): Promise<string> {
  const process = await makeProcess(stack);
  await stack.startAgent(process.environment);
  const { status } = await untilEnded(process.owner, instanceOf(await process.start()));
  return status;
}

describe('all services in one process', () => {
  let agent: InstalledPackage;
  let program: string;
  let stack: Stack;
  beforeAll(async () => {
    // The agent is installed first, because npm blocks this OS process, in which the services run.
    agent = InstalledPackage.install('agent');
    program = agent.programPath('batuta-agent');
    stack = await startStack();
  });
  afterAll(async () => {
    await stack?.stop();
    await agent.remove();
  });

  test('a start runs on an agent when all services share one process', async () => {
    expect(await runOnce(stack)).toBe('success');
  });

  test('the npm package of the agent runs a flow, installed elsewhere, with settings of a file', async () => {
    const version = `${packageJson.version}\n`;
    expect(await agent.run(program, ['--version'])).toEqual({ status: 0, stdout: version, stderr: '' });
    const environment = await makeEnvironment(stack);
    const file = join(agent.folder, 'agent.json');
    await writeFile(file, JSON.stringify({ url: stack.router, 'key-file': 'key', name: 'From a file' }));
    await writeFile(join(agent.folder, 'key'), `${environment.activationKey}\n`);

    const doctor = await agent.run(program, ['doctor', '--json', '--config', file]);
    const accepted = { check: 'router', state: 'ok', found: 'the router accepts the activation key' };
    expect(JSON.parse(doctor.stdout)).toMatchObject({ checks: expect.arrayContaining([accepted]) });
    const stranger = await agent.run(program, ['doctor', '--url', stack.router, '--key', 'unknown']);
    expect(stranger.stdout).toMatch(/FAULT +router .*status 401/);
    expect(stranger.status).toBe(1);

    const process = await makeProcess(stack, { environment, flow: COMPUTING_FLOW });
    const settings = {
      BATUTA_AGENT_STATE_FOLDER: agent.folder,
      BATUTA_AGENT_CONFIG: file,
      BATUTA_AGENT_KEY_FILE: join(agent.folder, 'key'),
    };
    const running = await Program.start('agent', settings, program);
    const instanceID = instanceOf(await process.start());
    expect(await untilEnded(process.owner, instanceID)).toMatchObject({ status: 'success' });
    expect((await messagesOf(process.owner, instanceID)).join()).toContain('sum = 42');
    await running.stop();
  });
});

test('a start runs on an agent when every service has its own process, also after a kill -9', async () => {
  const processes = await startServiceProcesses();
  try {
    const [gateway] = processes.services.gateway;
    const [execution] = processes.services.execution;
    const before = gateway?.pid;
    await gateway?.kill();
    expect([gateway?.isAlive, execution?.isAlive]).toEqual([false, true]);
    await gateway?.startAgain();
    expect(gateway?.pid).not.toBe(before);
    expect(await runOnce(processes)).toBe('success');
  } finally {
    await processes.stop();
  }
});
