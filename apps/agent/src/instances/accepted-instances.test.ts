import { once } from 'node:events';
import { MAX_RESPONSE_BYTES, type AgentFrame } from '@batuta/agent-protocol';
import type { Step } from '@batuta/flow';
import { startWebServer } from '../../../../test/support/web-server';
import { AgentWorld, shortFlow, endlessFlow, OFFERED_INSTANCE } from '../../test/agent-world';
import { createLogger } from '@batuta/logging';
import { offerOf } from '../../test/fake-router';
import type { RunInstance } from './accepted-instance';
import { AcceptedInstances } from './accepted-instances';

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
});
afterEach(() => world.close());

describe('instances', () => {
  test('an accepted instance runs after its grant, and sends its lines and its end in numbered reports', async () => {
    const session = await world.startSession();
    await session.startInstance(offerOf(shortFlow));
    const { messages, end } = await session.acknowledgeUntilEnd();
    expect(end).toEqual({ outcome: 'FINALIZED', errorStep: null, errorMessage: null });
    expect(messages).toEqual(['Step "one": started', 'The execution ended without error after 1 step']);
  });

  test('an accepted instance does not run before its grant', async () => {
    const session = await world.startSession();
    session.send(offerOf(shortFlow));
    await session.next('accept');
    // The reply to this second offer proves that the agent has had time to run the first, ungranted one.
    session.send(offerOf(shortFlow, { instanceID: 'i-2' }));
    await session.next('accept');
    expect(session.frames).toEqual([]);
  });

  test('an offer is rejected while the agent has no free capacity, and accepted after another instance has ended', async () => {
    const session = await world.startSession();
    await session.startInstance(offerOf(endlessFlow));
    await session.startInstance(offerOf(endlessFlow, { instanceID: 'i-2' }));
    session.send(offerOf(shortFlow, { instanceID: 'i-3' }));
    expect(await session.next('reject')).toMatchObject({ instanceID: 'i-3', reason: 'no free capacity' });
    session.send({ type: 'desired', ...OFFERED_INSTANCE, desired: 'stop' });
    expect((await session.acknowledgeUntilEnd()).end.outcome).toBe('STOPPED');
    session.send(offerOf(shortFlow, { instanceID: 'i-3', fence: 2 }));
    expect(await session.next('accept')).toMatchObject({ instanceID: 'i-3' });
  });

  test('an agent on which nothing can run rejects offers, so that it does not end them as crashed', async () => {
    const frames: AgentFrame[] = [];
    let problem: string | undefined = 'disk is full';
    const send = (frame: AgentFrame) => frames.push(frame) > 0;
    const run = () => new Promise<never>(() => undefined);
    const instances = new AcceptedInstances(1, () => problem, run, send, createLogger('agent', 'silent'));
    instances.receive(offerOf(shortFlow));
    problem = undefined;
    instances.receive(offerOf(shortFlow, { fence: 2 }));
    expect(frames).toEqual([
      { type: 'reject', ...OFFERED_INSTANCE, reason: 'disk is full' },
      { type: 'accept', ...OFFERED_INSTANCE, fence: 2 },
    ]);
  });

  test('a shutdown waits until the instances have stopped, also without a connection', async () => {
    let hasStopped = false;
    const run: RunInstance = async (_offer, control) => {
      await once(control.signal, 'abort');
      await new Promise((resolve) => setImmediate(resolve));
      hasStopped = true;
      return { outcome: 'STOPPED', errorStep: null, errorMessage: null };
    };
    const sendNothing = () => false;
    const instances = new AcceptedInstances(1, () => undefined, run, sendNothing, createLogger('agent', 'silent'));
    instances.receive(offerOf(shortFlow));
    instances.receive({ type: 'grant', ...OFFERED_INSTANCE, desired: 'run' });
    await instances.crashAll(new AbortController().signal);
    expect(hasStopped).toBe(true);
  });

  test('an accepted instance sends its next report after the acknowledgement of the previous one', async () => {
    const session = await world.startSession();
    await session.startInstance(
      offerOf([{ name: 'w', type: 'wait', seconds: 0.2, routes: [{ to: 'one' }] }, ...shortFlow]),
    );
    const first = await session.next('report');
    expect(first.seq).toBe(1);
    session.send(offerOf(shortFlow, { instanceID: 'i-2' }));
    await session.next('accept');
    session.send({ type: 'grant', instanceID: 'i-2', fence: 1, desired: 'run' });
    expect((await session.next('report')).instanceID).toBe('i-2');
    expect(session.frames).toEqual([]);
    session.send({ type: 'ack', ...OFFERED_INSTANCE, seq: 1, accepted: true });
    expect(await session.next('report')).toMatchObject({ ...OFFERED_INSTANCE, seq: 2 });
  });

  test('an accepted instance ignores late and repeated acknowledgements, and those of other instances', async () => {
    const session = await world.startSession();
    await session.startInstance(
      offerOf([{ name: 'w', type: 'wait', seconds: 0.1, routes: [{ to: 'one' }] }, ...shortFlow]),
    );
    await session.next('report');
    for (const [fence, seq] of [
      [1, 0],
      [1, 7],
      [2, 1],
    ] as const) {
      session.send({ type: 'ack', instanceID: 'i-1', fence, seq, accepted: true });
    }
    for (let twice = 0; twice < 2; twice += 1)
      session.send({ type: 'ack', ...OFFERED_INSTANCE, seq: 1, accepted: true });
    const { end, seq } = await session.acknowledgeUntilEnd();
    expect([end.outcome, seq > 1]).toEqual(['FINALIZED', true]);
  });

  test('an accepted instance stops and is dropped when a report is refused', async () => {
    const session = await world.startSession();
    await session.startInstance(offerOf(endlessFlow));
    await session.next('report');
    session.send({ type: 'ack', ...OFFERED_INSTANCE, seq: 1, accepted: false });
    session.socket.terminate();
    expect((await world.nextHello()).hello.resume?.held).toEqual([]);
  });

  test('an accepted instance is dropped when its offer is revoked, and a later grant is answered with a crash', async () => {
    const session = await world.startSession();
    session.send(offerOf(shortFlow));
    await session.next('accept');
    session.send({ type: 'revoke', ...OFFERED_INSTANCE });
    session.send({ type: 'grant', ...OFFERED_INSTANCE, desired: 'run' });
    expect(await session.next('report')).toMatchObject({ ...OFFERED_INSTANCE, lines: [], end: { outcome: 'CRASHED' } });
  });

  test('an accepted instance does not begin again by a second offer or grant', async () => {
    const session = await world.startSession();
    await session.startInstance(offerOf(endlessFlow));
    await session.next('report');
    session.send({ type: 'grant', ...OFFERED_INSTANCE, desired: 'run' });
    session.send(offerOf(endlessFlow, { fence: 2 }));
    expect(await session.next('reject')).toMatchObject({ instanceID: 'i-1', fence: 2 });
    session.send({ type: 'ack', ...OFFERED_INSTANCE, seq: 1, accepted: true });
    session.send({ type: 'desired', ...OFFERED_INSTANCE, desired: 'stop' });
    const { messages } = await session.acknowledgeUntilEnd();
    expect(messages).toEqual(['The execution was stopped']);
  });

  test('an accepted instance follows pause and resume', async () => {
    const session = await world.startSession();
    session.send(offerOf(shortFlow));
    await session.next('accept');
    session.send({ type: 'grant', ...OFFERED_INSTANCE, desired: 'pause' });
    expect((await session.next('report')).lines.map((line) => line.message)).toEqual(['The execution is paused']);
    session.send({ type: 'ack', ...OFFERED_INSTANCE, seq: 1, accepted: true });
    session.send({ type: 'desired', ...OFFERED_INSTANCE, desired: 'run' });
    expect((await session.acknowledgeUntilEnd()).end.outcome).toBe('FINALIZED');
  });

  test.each(['nonsense', '[]', '{"type":"dance"}', '{"type":"grant"}', '{"type":"offer","instanceID":7}'])(
    'an accepted instance is not disturbed by the invalid frame %s, which is ignored',
    async (frame) => {
      const session = await world.startSession();
      session.socket.send(frame);
      await session.startInstance(offerOf(shortFlow));
      expect((await session.acknowledgeUntilEnd()).end.outcome).toBe('FINALIZED');
    },
  );
});

describe('response step', () => {
  const answer: Step = { name: 'answer', type: 'webhookResponse', code: 201, body: '{"for": "{{matrix.who}}"}' };
  const matrix = [{ name: 'who', type: 'Texto', value: 'Ana' }];
  const response = { code: 201, body: '{"for": "Ana"}' };

  test('a Webhook Response step at the end of a flow is reported together with the end', async () => {
    const session = await world.startSession();
    await session.startInstance(offerOf([answer], { awaited: true, matrix }));
    const { seq, lines, ...report } = await session.next('report');
    expect({ seq, ...report }).toMatchObject({ seq: 1, response, end: { outcome: 'FINALIZED' } });
    expect(lines.map(({ message }) => message)).toContain('Step "answer": answered the caller with 201 and 14 bytes');
  });

  test('a Webhook Response step answers at once, and the flow continues', async () => {
    const session = await world.startSession();
    const steps = [{ ...answer, routes: [{ to: 'wait' }] }, ...endlessFlow];
    await session.startInstance(offerOf(steps, { awaited: true, matrix }));
    const report = await session.next('report');
    expect(report).toMatchObject({ seq: 1, response });
    expect(report.end).toBeUndefined();
    session.send({ type: 'ack', ...OFFERED_INSTANCE, seq: 1, accepted: true });
    session.send({ type: 'desired', ...OFFERED_INSTANCE, desired: 'stop' });
    expect(await session.acknowledgeUntilEnd()).toMatchObject({ responses: [], end: { outcome: 'STOPPED' } });
  });

  test('a Webhook Response step may answer with the maximum of 256 KB', async () => {
    const session = await world.startSession();
    const value = 'x'.repeat(MAX_RESPONSE_BYTES - 2);
    const steps: Step[] = [{ name: 'answer', type: 'webhookResponse', body: '"{{matrix.who}}"' }];
    await session.startInstance(offerOf(steps, { awaited: true, matrix: [{ name: 'who', type: 'Texto', value }] }));
    expect((await session.next('report')).response).toMatchObject({ code: 200, body: `"${value}"` });
  });

  test.each([undefined, false])(
    'a Webhook Response step sends no answer when `awaited` is %s in the offer',
    async (awaited) => {
      const session = await world.startSession();
      await session.startInstance(offerOf([answer], { awaited, matrix }));
      const { responses, messages } = await session.acknowledgeUntilEnd();
      expect(responses).toEqual([]);
      expect(messages).toContain('Step "answer": sent no response, because nobody waits: 201 {"for": "Ana"}');
    },
  );
});

test('the calls of a flow carry the request id of the offer', async () => {
  const server = await startWebServer((request, response) => response.end(request.headers['x-request-id']));
  const session = await world.startSession();
  const url = `${server.url}/`;
  const steps: Step[] = [
    { name: 'call', type: 'rest', method: 'GET', url, as: 'answer', routes: [{ to: 'show' }] },
    { name: 'show', type: 'variables', rows: [{ name: 'id', mode: 'Variável ou texto', value: '{answer.body}' }] },
  ];
  await session.startInstance(offerOf(steps, { requestID: 'r-9' }));
  expect((await session.acknowledgeUntilEnd()).messages).toContain('Step "show": id = "r-9"');
  await server.stop();
});
