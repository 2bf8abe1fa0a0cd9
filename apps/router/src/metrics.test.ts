import { once } from 'node:events';
import { waitUntil } from '../../../test/support/wait-until';
import { TestAgent } from '../test/test-agent';
import { waitUntilTrue } from '../test/until';
import { RouterWorld } from '../test/world';
import type { RunningRouter } from './app';
import { SessionCloser } from './sessions/session-closer';
import { SessionRepository } from './sessions/session.repository';

let world: RouterWorld;
let router: RunningRouter;

beforeAll(async () => {
  world = await RouterWorld.create();
  // Only the opening of a session notices in these tests that its environment is gone, not the check of the environments.
  router = await world.startRouter({ ENVIRONMENTS_MS: 3_600_000 });
});

afterAll(() => world?.close());

const readMetrics = async () => (await fetch(`${router.url}/metrics`)).text();
const connected = async () => /^batuta_router_sessions\{.*\} (\d+)$/m.exec(await readMetrics())?.[1];

test('the router answers health checks and metrics', async () => {
  // On a slow machine the first readiness check may exceed its time limit.
  const ready = await waitUntil('the router is ready', async () => {
    const answer = await fetch(`${router.url}/health/ready`);
    return answer.status === 200 && answer;
  });
  expect(await ready.json()).toEqual({ ok: true, parts: { database: true, nats: true } });
  const metrics = await readMetrics();
  expect(metrics).toMatch(/^batuta_router_sessions\{service="router"\} \d+$/m);
  expect(metrics).toContain('batuta_router_claimed_total');
});

test('an agent counts as connected once it was welcomed, and not while execution has not answered its resume', async () => {
  const { key } = await world.addEnvironment();
  const { agent, sessionID } = await TestAgent.join(router.url, key);
  expect(await connected()).toBe('1');
  agent.cut();
  world.fake.fail('adopt', Infinity);
  const resuming = await TestAgent.connect(router.url, key);
  resuming.sendHello({ resume: { sessionID, held: [] } });
  await waitUntilTrue(() => world.fake.countCalls('adopt') > 0, 'the resume');
  expect(await connected()).toBe('0');
  world.fake.fail('adopt', 0);
  await resuming.takeFrame('welcome');
  expect(await connected()).toBe('1');
  resuming.cut();
});

/** How many connections were refused with this status. */
const refused = async (status: number) =>
  Number(
    new RegExp(`^batuta_router_refused_total\\{status="${status}".*\\} (\\d+)$`, 'm').exec(await readMetrics())?.[1] ??
      0,
  );

test('an agent whose session cannot be opened counts among the refused connections, with 503', async () => {
  const { key } = await world.addEnvironment();
  const { agent, sessionID } = await TestAgent.join(router.url, key);
  const before = await refused(503);
  world.fake.fail('adopt', 1, false, 'CONFLICT');
  const resuming = await TestAgent.connect(router.url, key);
  resuming.sendHello({ resume: { sessionID, held: [] } });
  expect(await resuming.takeFrame('error')).toMatchObject({ code: 'UNAVAILABLE' });
  expect((await refused(503)) - before).toBe(1);
  await agent.waitForClose();
});

test('an agent whose environment was deleted before its hello counts among the refused connections, with 401', async () => {
  const { environmentID, key } = await world.addEnvironment();
  const before = await refused(401);
  const agent = await TestAgent.connect(router.url, key);
  await world.store.write('DELETE FROM environment WHERE environment_id = ?', [environmentID]);
  agent.sendHello();
  expect(await agent.takeFrame('error')).toMatchObject({ code: 'INVALID_CREDENTIAL' });
  expect((await refused(401)) - before).toBe(1);
});

describe('while the row of a session is written', () => {
  let insert: jest.SpiedFunction<SessionRepository['insert']>;
  let close: jest.SpiedFunction<SessionCloser['close']>;
  beforeEach(() => {
    insert = jest.spyOn(SessionRepository.prototype, 'insert').mockImplementationOnce(async ({ endSignal }) => {
      await once(endSignal, 'abort');
      throw new Error('The database is away');
    });
    close = jest.spyOn(SessionCloser.prototype, 'close');
  });
  afterEach(() => {
    insert.mockRestore();
    close.mockRestore();
  });

  test('an agent that leaves does not count among the refused connections', async () => {
    const { key } = await world.addEnvironment();
    const before = await refused(503);
    const agent = await TestAgent.connect(router.url, key);
    agent.sendHello();
    await waitUntilTrue(() => insert.mock.calls.length > 0, 'the row');
    agent.cut();
    await waitUntilTrue(() => close.mock.calls.length > 0, 'the end of the opening');
    expect((await refused(503)) - before).toBe(0);
  });
});

test('the close codes that agents choose make one value of a label', async () => {
  const endsBy = async (reason: string) =>
    Number(
      new RegExp(`^batuta_router_sessions_ended_total\\{reason="${reason}".*\\} (\\d+)$`, 'm').exec(
        await readMetrics(),
      )?.[1] ?? 0,
    );
  const { key } = await world.addEnvironment();
  for (const code of [1000, 3000, 4999]) {
    const { agent } = await TestAgent.join(router.url, key);
    agent.stopHeartbeats();
    agent.socket.close(code);
  }
  await waitUntil('the sessions have ended', async () => (await endsBy('1000')) === 1 && (await endsBy('OTHER')) === 2);
  const metrics = await readMetrics();
  expect(metrics).not.toMatch(/reason="(?:3000|4999)"/);
});

test('a session that ends before its welcome does not count as one that ended', async () => {
  const ended = async () => {
    const counts = (await readMetrics()).matchAll(/^batuta_router_sessions_ended_total\{.*\} (\d+)$/gm);
    return Array.from(counts, ([, count]) => Number(count)).reduce((sum, count) => sum + count, 0);
  };
  const { environmentID, key } = await world.addEnvironment();
  await waitUntilTrue(async () => (await connected()) === '0', 'the end of earlier sessions');
  const before = await ended();
  const { agent, sessionID } = await TestAgent.join(router.url, key);
  world.fake.fail('adopt', Infinity);
  const calls = world.fake.countCalls('adopt');
  const resuming = await TestAgent.connect(router.url, key);
  resuming.sendHello({ resume: { sessionID, held: [] } });
  await agent.waitForClose();
  await waitUntilTrue(() => world.fake.countCalls('adopt') > calls, 'the resume');
  resuming.cut();
  const closed = async () => {
    const rows = await world.store.rows<{ closed: number }>(
      'SELECT closed_at IS NOT NULL AS closed FROM agent_session WHERE environment_id = ?',
      [environmentID],
    );
    return rows.filter((row) => row.closed === 1).length;
  };
  await waitUntilTrue(async () => (await closed()) === 2, 'the end of both sessions');
  world.fake.fail('adopt', 0);
  expect((await ended()) - before).toBe(1);
});
