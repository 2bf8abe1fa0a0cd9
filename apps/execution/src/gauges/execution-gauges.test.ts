import { execution } from '@batuta/contracts';
import { openStore } from '@batuta/database';
import { Metrics } from '@batuta/observability';
import type { GaugeRounds } from '@batuta/service';
import { v7 as uuid } from 'uuid';
import { connectAgent, registerProcess, startRequest, startWorld, type ExecutionWorld } from '../../test/world';
import { ExecutionGauges } from './execution-gauges';

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const noRounds: Pick<GaugeRounds, 'add'> = { add: () => {} };

/** `valueOf` reads the first line that begins with the text; NaN without such a line. */
function createGauges(store = world.store): { gauges: ExecutionGauges; valueOf: (series: string) => Promise<number> } {
  const metrics = new Metrics('execution');
  const gauges = new ExecutionGauges(store, metrics, Object.assign(noRounds), { QUOTA_EVIDENCE_MEGABYTES: 10 });
  const valueOf = async (series: string) => {
    const line = (await metrics.registry.metrics()).split('\n').find((text) => text.startsWith(series));
    return Number(line?.split(' ').at(-1));
  };
  return { gauges, valueOf };
}

test('queues are measured separately for environments with and without a connected agent, and no label names an environment', async () => {
  const { gauges, valueOf } = createGauges();
  const [online, offline, empty] = [
    await registerProcess(world.store),
    await registerProcess(world.store),
    await registerProcess(world.store),
  ];
  for (const at of [online, offline, offline]) await world.rpc.call(execution.start, startRequest(at));
  await connectAgent(world.store, online.environmentID);
  await connectAgent(world.store, empty.environmentID);
  await world.store.write(
    'UPDATE instance SET accepted_at = UTC_TIMESTAMP(3) - INTERVAL 1 HOUR WHERE environment_id = ?',
    [online.environmentID],
  );
  await gauges.measure();
  expect(await valueOf('batuta_queue_instances{agents="online"')).toBe(1);
  expect(await valueOf('batuta_queue_instances{agents="offline"')).toBe(2);
  expect(await valueOf('batuta_queue_oldest_seconds{agents="online"')).toBeGreaterThanOrEqual(3_600);
  expect(await valueOf('batuta_queue_oldest_seconds{agents="offline"')).toBeLessThan(3_600);
});

test('the pictures of all companies are summed, and the company with the most bytes is measured against its quota', async () => {
  const { gauges, valueOf } = createGauges();
  await world.store.write('INSERT INTO evidence_usage VALUES (?, ?), (?, ?)', [
    uuid(),
    1_048_576,
    uuid(),
    9 * 1_048_576,
  ]);
  await gauges.measure();
  expect(await valueOf('batuta_evidence_bytes{')).toBe(10 * 1_048_576);
  expect(await valueOf('batuta_evidence_quota_ratio{')).toBeCloseTo(0.9);
});

test('gauges that could not be measured have no value', async () => {
  const store = await openStore({ url: String(world.env['DATABASE_URL']), pool: 1 });
  const { gauges, valueOf } = createGauges(store);
  await gauges.measure();
  gauges.clear();
  expect(await valueOf('batuta_queue_instances{agents="online"')).toBeNaN();
  expect(await valueOf('batuta_evidence_bytes{')).toBeNaN();
  await store.close();
});
