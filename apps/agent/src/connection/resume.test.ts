import { REFUSAL_CLOSE_CODES } from '@batuta/agent-protocol';
import type { Step } from '@batuta/flow';
import { AgentWorld, shortFlow, endlessFlow, OFFERED_INSTANCE } from '../../test/agent-world';
import { GRACE_SECONDS, offerOf, type FakeSession } from '../../test/fake-router';

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
});
afterEach(() => world.close());

function setClockForward(milliseconds: number): jest.SpyInstance {
  const now = performance.now.bind(performance);
  return jest.spyOn(performance, 'now').mockImplementation(() => now() + milliseconds);
}

describe('resume', () => {
  test('an agent whose connection breaks or is silent repeats an unacknowledged report unchanged after the resume', async () => {
    const session = await world.startSession();
    await session.startInstance(offerOf(shortFlow));
    const first = await session.next('report');
    session.socket.terminate();
    const { session: second, hello } = await world.nextHello();
    expect(hello.resume).toEqual({ sessionID: 's-1', held: [OFFERED_INSTANCE] });
    second.welcome({ sessionID: 's-2', granted: [{ ...OFFERED_INSTANCE, desired: 'run' }] });
    expect(await second.next('report')).toEqual(first);
  });

  test('an agent whose connection breaks or is silent reconnects within the grace period if it holds an instance, whatever the backoff', async () => {
    await world.startAgent({}, { first: 600_000, longest: 600_000 });
    const { session } = await world.nextHello();
    session.welcome({ graceSeconds: 20 });
    await session.startInstance(offerOf(endlessFlow));
    await session.next('report');
    session.socket.terminate();
    expect((await world.nextHello()).hello.resume).toEqual({ sessionID: 's-1', held: [OFFERED_INSTANCE] });
  });

  test('an agent that holds an instance resumes it after a proxy has answered 404 for a moment, without the pause of a refusal', async () => {
    await world.startAgent({}, undefined, 600_000);
    const { session } = await world.nextHello();
    session.welcome();
    await session.startInstance(offerOf(endlessFlow));
    await session.next('report');
    world.router.refuseWith = 404;
    const refusal = world.router.nextRefusal();
    session.socket.terminate();
    await refusal;
    world.router.refuseWith = undefined;
    expect((await world.nextHello()).hello.resume).toEqual({ sessionID: 's-1', held: [OFFERED_INSTANCE] });
  });

  test('an agent whose report is invalid gives that instance up, and resumes the others without the pause of a refusal', async () => {
    await world.startAgent({}, undefined, 600_000);
    const { session } = await world.nextHello();
    session.welcome();
    await session.startInstance(offerOf(endlessFlow));
    await session.startInstance(offerOf(endlessFlow, { instanceID: 'i-2' }));
    session.send({ type: 'error', code: 'BAD_FRAME', message: 'lines: are wrong', instanceID: 'i-1' });
    session.socket.close(REFUSAL_CLOSE_CODES.badFrame);
    const { hello } = await world.nextHello();
    expect(hello.resume).toEqual({ sessionID: 's-1', held: [{ instanceID: 'i-2', fence: 1 }] });
  });

  test('an agent whose connection breaks or is silent repeats an unacknowledged answer to a caller after the resume, and does not send it again once it is acknowledged', async () => {
    const answer: Step = { name: 'answer', type: 'webhookResponse', body: '{"ok":true}', routes: [{ to: 'wait' }] };
    const session = await world.startSession();
    await session.startInstance(offerOf([answer, ...endlessFlow], { awaited: true }));
    const first = await session.next('report');
    expect(first.response).toEqual({ code: 200, body: '{"ok":true}', masked: null });
    session.socket.terminate();
    const { session: second } = await world.nextHello();
    second.welcome({ sessionID: 's-2', granted: [{ ...OFFERED_INSTANCE, desired: 'run' }] });
    expect(await second.next('report')).toEqual(first);
    second.send({ type: 'ack', ...OFFERED_INSTANCE, seq: first.seq, accepted: true });
    second.send({ type: 'desired', ...OFFERED_INSTANCE, desired: 'stop' });
    const { responses, end } = await second.acknowledgeUntilEnd();
    expect([responses, end.outcome]).toEqual([[], 'STOPPED']);
  });

  test('an agent whose connection breaks or is silent delays an answer to a caller until the resume', async () => {
    const answer: Step = { name: 'answer', type: 'webhookResponse', body: '1' };
    const session = await world.startSession();
    await session.startInstance(
      offerOf([{ name: 'w', type: 'wait', seconds: 0.1, routes: [{ to: 'answer' }] }, answer], { awaited: true }),
    );
    session.socket.terminate();
    const { session: second } = await world.nextHello();
    second.welcome({ sessionID: 's-2', granted: [{ ...OFFERED_INSTANCE, desired: 'run' }] });
    expect((await second.acknowledgeUntilEnd()).responses).toEqual([{ code: 200, body: '1', masked: null }]);
  });

  test('an agent whose connection breaks or is silent begins an accepted instance that the resume grants', async () => {
    const session = await world.startSession();
    session.send(offerOf(shortFlow));
    await session.next('accept');
    session.socket.terminate();
    const { session: second } = await world.nextHello();
    second.welcome({ sessionID: 's-2', granted: [{ ...OFFERED_INSTANCE, desired: 'run' }] });
    expect((await second.acknowledgeUntilEnd()).end.outcome).toBe('FINALIZED');
  });

  test('an agent whose connection breaks or is silent stops an instance whose grant in the resume says so', async () => {
    const session = await world.startSession();
    await session.startInstance(offerOf(endlessFlow));
    await session.next('report');
    session.socket.terminate();
    const { session: second } = await world.nextHello();
    second.welcome({ sessionID: 's-2', granted: [{ ...OFFERED_INSTANCE, desired: 'stop' }] });
    expect((await second.acknowledgeUntilEnd()).end.outcome).toBe('STOPPED');
  });

  test.each<[string, Parameters<FakeSession['welcome']>[0]]>([
    ['revokes', { revoked: [OFFERED_INSTANCE] }],
    ['does not mention', {}],
    ['grants with another fence', { granted: [{ ...OFFERED_INSTANCE, fence: 2, desired: 'run' }] }],
  ])('an agent whose connection breaks or is silent drops an instance that the resume %s', async (_how, welcome) => {
    const session = await world.startSession();
    await session.startInstance(offerOf(endlessFlow));
    await session.next('report');
    session.socket.terminate();
    const { session: second } = await world.nextHello();
    second.welcome({ sessionID: 's-2', ...welcome });
    second.socket.close();
    expect((await world.nextHello()).hello.resume).toEqual({ sessionID: 's-2', held: [] });
  });

  test('an agent whose connection breaks or is silent does not interrupt a running instance', async () => {
    const session = await world.startSession();
    await session.startInstance(
      offerOf([{ name: 'w', type: 'wait', seconds: 0.1, routes: [{ to: 'one' }] }, ...shortFlow]),
    );
    session.socket.terminate();
    const { session: second } = await world.nextHello();
    second.welcome({ sessionID: 's-2', granted: [{ ...OFFERED_INSTANCE, desired: 'run' }] });
    const { messages } = await second.acknowledgeUntilEnd();
    expect(messages[0]).toBe('Step "w": started');
    expect(messages.at(-1)).toBe('The execution ended without error after 2 steps');
  });

  test('an agent whose connection breaks or is silent keeps its instances when the router sends nothing for the grace period, and continues those that the resume grants', async () => {
    const session = await world.startSession();
    const steps: Step[] = [{ name: 'w', type: 'wait', seconds: 1, routes: [{ to: 'one' }] }, ...shortFlow];
    await session.startInstance(offerOf(steps));
    await session.next('report');
    const clock = setClockForward(GRACE_SECONDS * 1_000);
    try {
      const { session: second, hello } = await world.nextHello();
      expect(hello.resume).toEqual({ sessionID: 's-1', held: [OFFERED_INSTANCE] });
      second.welcome({ sessionID: 's-2', granted: [{ ...OFFERED_INSTANCE, desired: 'run' }] });
      expect((await second.acknowledgeUntilEnd()).end.outcome).toBe('FINALIZED');
    } finally {
      clock.mockRestore();
    }
  });

  test('an agent whose connection breaks or is silent reconnects after some heartbeat intervals without a frame, and keeps running instances', async () => {
    const session = await world.startSession({ heartbeatSeconds: 2 });
    await session.startInstance(offerOf(endlessFlow));
    await session.next('heartbeat');
    expect((await world.nextHello()).hello.resume?.held).toEqual([OFFERED_INSTANCE]);
  });
});

describe('shutdown', () => {
  test('an agent that shuts down finishes its instances and rejects offers', async () => {
    const session = await world.startSession();
    await session.startInstance(offerOf([{ name: 'w', type: 'wait', seconds: 0.2 }]));
    const closing = world.agents[0]?.close({ drainSeconds: 20 });
    await session.next('drain');
    session.send(offerOf(shortFlow, { instanceID: 'i-2' }));
    expect(await session.next('reject')).toMatchObject({ instanceID: 'i-2', reason: 'the agent is leaving' });
    expect((await session.acknowledgeUntilEnd()).end.outcome).toBe('FINALIZED');
    await closing;
    await session.closed;
  });

  test('an agent that shuts down reports instances that do not end within the drain time as crashed', async () => {
    const session = await world.startSession();
    await session.startInstance(offerOf(endlessFlow));
    await session.next('report');
    session.send({ type: 'ack', ...OFFERED_INSTANCE, seq: 1, accepted: true });
    const closing = world.agents[0]?.close({ drainSeconds: 0 });
    expect((await session.acknowledgeUntilEnd()).end).toMatchObject({
      outcome: 'CRASHED',
      errorMessage: expect.stringContaining('shut down'),
    });
    await closing;
  });
});
