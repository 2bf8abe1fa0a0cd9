import { execution } from '@batuta/contracts';
import { openStore } from '@batuta/database';
import { Liveness } from '@batuta/observability';
import { openBlackHole } from '../../../test/support/black-hole';
import { openLossyProxy } from '../../../test/support/dropped-packets';
import { startTestMariadb } from '../../../test/support/servers';
import { waitUntil } from '../../../test/support/wait-until';
import { countOf, registerProcess, startRequest, startWorld } from '../test/world';
import { createExecution } from './app';
import { readExecutionConfig } from './config';

test.each([
  ['a proxy drops the bytes of', openBlackHole],
  ['the kernel drops the packets for', openLossyProxy],
])('starts fail while %s the database, store nothing, and work again after it', async (_, openWay) => {
  const world = await startWorld();
  const hole = await openWay(String(world.env.DATABASE_URL));
  const config = { ...readExecutionConfig(world.env), DATABASE_URL: hole.url, DATABASE_STATEMENT_MS: 500 };
  const service = await createExecution(config);
  await world.stopServices();
  const site = await registerProcess(world.store);
  const start = (request = startRequest(site)) => world.rpc.call(execution.start, request, { timeout: 20_000 });
  const isReady = async () => (await fetch(new URL('/health/ready', service.url))).status === 200;
  const succeeds = () => start().then(() => true);
  // On a busy machine a statement may exceed its time limit, so the start is retried.
  await waitUntil('a start', succeeds);
  await waitUntil('the service is ready', isReady);
  await hole.dropBytes();
  const lost = Array.from({ length: 3 }, () => startRequest(site));
  const replies = await Promise.allSettled(lost.map((request) => start(request)));
  for (const reply of replies) expect(reply).toMatchObject({ status: 'rejected', reason: { code: 'UNAVAILABLE' } });
  expect(await isReady()).toBe(false);
  await hole.restore();
  await waitUntil('the service is ready again', isReady);
  await waitUntil('another start', succeeds);
  for (const { instanceID } of lost) {
    expect(await countOf(world.store, 'instance', 'instance_id = ?', [instanceID])).toBe(0);
  }
  await service.close();
  await hole.close();
  await world.close();
});

test('starts fail while the database is read-only, store nothing, and work again after it without a restart', async () => {
  const server = await startTestMariadb();
  const database = { url: server.url, drop: () => server.stop() };
  const url = new URL(server.url);
  [url.username, url.password] = ['service', 'service'];
  const admin = await openStore({ url: server.url, pool: 1 });
  await admin.write("CREATE USER 'service'@'%' IDENTIFIED BY 'service'");
  await admin.write("GRANT SELECT, INSERT, UPDATE, DELETE ON *.* TO 'service'@'%'");
  const world = await startWorld(1, { DATABASE_URL: url.href }, database);
  const site = await registerProcess(world.store);
  const connections = async () =>
    (await admin.rows<{ id: number }>("SELECT id FROM information_schema.processlist WHERE user = 'service'")).map(
      ({ id }) => id,
    );
  const start = (request = startRequest(site)) => world.rpc.call(execution.start, request, { timeout: 20_000 });
  await start();

  const before = new Set(await connections());
  await admin.write('SET GLOBAL read_only = 1');
  const refused = startRequest(site);
  await expect(start(refused)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await waitUntil('no earlier connection is left', async () => !(await connections()).some((id) => before.has(id)));
  expect(await countOf(world.store, 'instance', 'instance_id = ?', [refused.instanceID])).toBe(0);

  await admin.write('SET GLOBAL read_only = 0');
  await start();
  expect(await countOf(world.store, 'instance', 'process_id = ?', [site.processID])).toBe(2);
  await admin.close();
  await world.close();
});

test('the liveness check names only a batcher that makes no progress within its time limit', () => {
  const liveness = new Liveness();
  liveness.watch('idle', () => 0);
  liveness.watch('busy', () => 60_000);
  expect(liveness.stuckTasks()).toEqual([]);
  liveness.watch('starts', () => 200_000);
  expect(liveness.stuckTasks()).toEqual(['starts']);
});
