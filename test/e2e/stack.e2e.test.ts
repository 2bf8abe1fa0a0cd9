import { makeProcess } from './factories';
import { ended, instanceOf } from './following';
import { startProcesses, startStack, type Stack } from './stack';

async function runOnce(stack: Stack): Promise<string> {
  const process = await makeProcess(stack);
  await stack.startAgent(process.environment);
  const { status } = await ended(process.owner, instanceOf(await process.start()));
  return status;
}

test('a start runs on an agent when all services share one process', async () => {
  const stack = await startStack();
  expect(await runOnce(stack)).toBe('success');
  await stack.stop();
});

test('a start runs on an agent when every service is a process of its own, even after a kill -9', async () => {
  const stack = await startProcesses({ replicas: { gateway: 2 } });
  const [gateway, other] = stack.services.gateway;
  const before = gateway?.pid;
  await gateway?.kill();
  expect([gateway?.isAlive, other?.isAlive]).toEqual([false, true]);
  await gateway?.startAgain();
  expect(gateway?.pid).not.toBe(before);
  expect(await runOnce(stack)).toBe('success');
  await stack.stop();
});
