import { makeProcess } from '../support/factories';
import { untilEnded, instanceOf } from '../support/instances';
import { startStack } from '../support/in-process-stack';
import { startProcesses, type Stack } from '../support/stack';

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
