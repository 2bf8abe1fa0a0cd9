import { execution } from '@batuta/contracts';
import { Liveness } from '@batuta/observability';
import { openBlackHole } from '../../../test/support/black-hole';
import { waitUntil } from '../../../test/support/wait-until';
import { countOf, register, startRequest, startWorld } from '../test/world';
import { createExecution } from './app';
import { readExecutionConfig } from './config';

test('starts fail while the database has vanished, store nothing, and work again after it', async () => {
  const world = await startWorld();
  const hole = await openBlackHole(String(world.env.DATABASE_URL));
  const config = { ...readExecutionConfig(world.env), DATABASE_URL: hole.url, DATABASE_STATEMENT_MS: 500 };
  const service = await createExecution(config);
  await world.stopServices();
  const site = await register(world.store);
  const start = (request = startRequest(site)) => world.rpc.call(execution.start, request, { timeout: 20_000 });
  const isReady = async () => (await fetch(new URL('/health/ready', service.url))).status === 200;
  const succeeds = () => start().then(() => true);
  // On a busy machine a statement may take longer than the limit.
  await waitUntil('a start', succeeds);
  await waitUntil('the service is ready', isReady);
  hole.swallow();
  const lost = Array.from({ length: 3 }, () => startRequest(site));
  const replies = await Promise.allSettled(lost.map((request) => start(request)));
  for (const reply of replies) expect(reply).toMatchObject({ status: 'rejected', reason: { code: 'UNAVAILABLE' } });
  expect(await isReady()).toBe(false);
  hole.restore();
  await waitUntil('the service is ready again', isReady);
  await waitUntil('another start', succeeds);
  for (const { instanceID } of lost) {
    expect(await countOf(world.store, 'instance', 'instance_id = ?', [instanceID])).toBe(0);
  }
  await service.close();
  await hole.close();
  await world.close();
});

test('liveness names a batcher that makes no progress for its time limit, and no other', () => {
  const liveness = new Liveness();
  liveness.watch('idle', () => 0);
  liveness.watch('busy', () => 60_000);
  expect(liveness.standing()).toEqual([]);
  liveness.watch('starts', () => 200_000);
  expect(liveness.standing()).toEqual(['starts']);
});
