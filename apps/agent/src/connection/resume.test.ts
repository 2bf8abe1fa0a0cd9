import type { Step } from '@batuta/flow';
import { AgentWorld, shortFlow, endlessFlow, instance } from '../../test/agent-world';
import { GRACE_SECONDS, offerOf, type FakeSession } from '../../test/fake-router';

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
});
afterEach(() => world.close());

describe('a broken connection', () => {
  test('an unacknowledged report is sent again, the same, after the resume', async () => {
    const session = await world.connected();
    await session.start(offerOf(shortFlow));
    const first = await session.next('report');
    session.socket.terminate();
    const { session: second, hello } = await world.nextHello();
    expect(hello.resume).toEqual({ sessionID: 's-1', held: [instance] });
    second.welcome({ sessionID: 's-2', granted: [{ ...instance, desired: 'run' }] });
    expect(await second.next('report')).toEqual(first);
  });

  test('who holds something comes back within its grace, however often the connection broke before', async () => {
    await world.startAgent({}, { first: 600_000, longest: 600_000 });
    const { session } = await world.nextHello();
    session.welcome({ graceSeconds: 20 });
    await session.start(offerOf(endlessFlow));
    await session.next('report');
    session.socket.terminate();
    expect((await world.nextHello()).hello.resume).toEqual({ sessionID: 's-1', held: [instance] });
  });

  test('an answer to a caller is sent again, the same, after the resume, and once acknowledged no more', async () => {
    const answer: Step = { name: 'answer', type: 'webhookResponse', body: '{"ok":true}', routes: [{ to: 'wait' }] };
    const session = await world.connected();
    await session.start(offerOf([answer, ...endlessFlow], { awaited: true }));
    const first = await session.next('report');
    expect(first.response).toEqual({ code: 200, body: '{"ok":true}' });
    session.socket.terminate();
    const { session: second } = await world.nextHello();
    second.welcome({ sessionID: 's-2', granted: [{ ...instance, desired: 'run' }] });
    expect(await second.next('report')).toEqual(first);
    second.send({ type: 'ack', ...instance, seq: first.seq, accepted: true });
    second.send({ type: 'desired', ...instance, desired: 'stop' });
    const { responses, end } = await second.reportsToEnd();
    expect([responses, end.outcome]).toEqual([[], 'STOPPED']);
  });

  test('an answer given while the connection is away is sent by the resume', async () => {
    const answer: Step = { name: 'answer', type: 'webhookResponse', body: '1' };
    const session = await world.connected();
    await session.start(
      offerOf([{ name: 'w', type: 'wait', seconds: 0.1, routes: [{ to: 'answer' }] }, answer], { awaited: true }),
    );
    session.socket.terminate();
    const { session: second } = await world.nextHello();
    second.welcome({ sessionID: 's-2', granted: [{ ...instance, desired: 'run' }] });
    expect((await second.reportsToEnd()).responses).toEqual([{ code: 200, body: '1' }]);
  });

  test('an instance accepted before and granted by the resume begins', async () => {
    const session = await world.connected();
    session.send(offerOf(shortFlow));
    await session.next('accept');
    session.socket.terminate();
    const { session: second } = await world.nextHello();
    second.welcome({ sessionID: 's-2', granted: [{ ...instance, desired: 'run' }] });
    expect((await second.reportsToEnd()).end.outcome).toBe('FINALIZED');
  });

  test('a stop wanted meanwhile is done by the resume', async () => {
    const session = await world.connected();
    await session.start(offerOf(endlessFlow));
    await session.next('report');
    session.socket.terminate();
    const { session: second } = await world.nextHello();
    second.welcome({ sessionID: 's-2', granted: [{ ...instance, desired: 'stop' }] });
    expect((await second.reportsToEnd()).end.outcome).toBe('STOPPED');
  });

  test.each<[string, Parameters<FakeSession['welcome']>[0]]>([
    ['revoked', { revoked: [instance] }],
    ['not mentioned', {}],
    ['granted under another fence', { granted: [{ ...instance, fence: 2, desired: 'run' }] }],
  ])('an instance that is %s by the resume is dropped', async (_how, welcome) => {
    const session = await world.connected();
    await session.start(offerOf(endlessFlow));
    await session.next('report');
    session.socket.terminate();
    const { session: second } = await world.nextHello();
    second.welcome({ sessionID: 's-2', ...welcome });
    second.socket.close();
    expect((await world.nextHello()).hello.resume).toEqual({ sessionID: 's-2', held: [] });
  });

  test('what runs goes on while the connection is away', async () => {
    const session = await world.connected();
    await session.start(offerOf([{ name: 'w', type: 'wait', seconds: 0.1, routes: [{ to: 'one' }] }, ...shortFlow]));
    session.socket.terminate();
    const { session: second } = await world.nextHello();
    second.welcome({ sessionID: 's-2', granted: [{ ...instance, desired: 'run' }] });
    const { messages } = await second.reportsToEnd();
    expect(messages[0]).toBe('Step "w": started');
    expect(messages.at(-1)).toBe('The execution ended without error after 2 steps');
  });

  test('a router silent for the grace loses what the agent ran, although the connection stands', async () => {
    const session = await world.connected();
    await session.start(offerOf(endlessFlow));
    await session.next('report');
    const now = performance.now.bind(performance);
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + GRACE_SECONDS * 1_000);
    try {
      expect((await world.nextHello()).hello.resume).toEqual({ sessionID: 's-1', held: [] });
    } finally {
      clock.mockRestore();
    }
  });

  test('a connection without a word for some heartbeats is given up, what runs is kept', async () => {
    const session = await world.connected({ heartbeatSeconds: 2 });
    await session.start(offerOf(endlessFlow));
    await session.next('heartbeat');
    expect((await world.nextHello()).hello.resume?.held).toEqual([instance]);
  });
});

describe('leaving', () => {
  test('a draining agent finishes what it holds and rejects what is offered', async () => {
    const session = await world.connected();
    await session.start(offerOf([{ name: 'w', type: 'wait', seconds: 0.2 }]));
    const closing = world.agents[0]?.close({ drainSeconds: 20 });
    await session.next('drain');
    session.send(offerOf(shortFlow, { instanceID: 'i-2' }));
    expect(await session.next('reject')).toMatchObject({ instanceID: 'i-2', reason: 'the agent is leaving' });
    expect((await session.reportsToEnd()).end.outcome).toBe('FINALIZED');
    await closing;
    await session.closed;
  });

  test('what is not finished in time ends as crashed, and is told', async () => {
    const session = await world.connected();
    await session.start(offerOf(endlessFlow));
    await session.next('report');
    session.send({ type: 'ack', ...instance, seq: 1, accepted: true });
    const closing = world.agents[0]?.close({ drainSeconds: 0 });
    expect((await session.reportsToEnd()).end).toMatchObject({
      outcome: 'CRASHED',
      errorMessage: expect.stringContaining('shut down'),
    });
    await closing;
  });
});
