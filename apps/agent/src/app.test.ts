import { once } from 'node:events';
import { createServer } from 'node:http';
import { AGENT_CLOSE } from '@batuta/contracts';
import type { Step } from '@batuta/flow';
import { createLogger } from '@batuta/observability';
import manifest from '../../../package.json';
import { createAgent, type Agent } from './app';
import { readAgentConfig } from './config';
import { FakeRouter, offerOf, type FakeSession } from './connection/fake-router';
import { AGENT_VERSION } from './version';

const logger = createLogger('agent', 'silent');
const backoff = { firstMilliseconds: 10, mostMilliseconds: 20, refusedMilliseconds: 30 };

let router: FakeRouter;
const agents: Agent[] = [];

const startAgent = async (settings: NodeJS.ProcessEnv = {}): Promise<Agent> => {
  const config = readAgentConfig({
    BATUTA_ROUTER_URL: router.url,
    BATUTA_AGENT_KEY: 'activation-key',
    BATUTA_AGENT_CAPACITY: '2',
    BATUTA_SANDBOX_WORKERS: '1',
    ...settings,
  });
  const agent = await createAgent(config, { logger, backoff });
  agents.push(agent);
  return agent;
};

/** An agent with its first session. */
const connected = async (welcome: Parameters<FakeSession['welcome']>[0] = {}): Promise<FakeSession> => {
  await startAgent();
  const session = await router.session();
  await session.next('hello');
  session.welcome(welcome);
  return session;
};
/** The agent's next session, after its greeting. */
const reconnected = async () => {
  const session = await router.session();
  return { session, hello: await session.next('hello') };
};

const done: Step[] = [{ name: 'one', type: 'variables' }];
const forever: Step[] = [{ name: 'wait', type: 'wait', seconds: 3600 }];
const word = { instanceID: 'i-1', fence: 1 };

beforeEach(async () => {
  router = await FakeRouter.create();
});
afterEach(async () => {
  await router.close();
  await Promise.all(agents.splice(0).map((agent) => agent.close()));
});

describe('hello', () => {
  test('the agent shows its key and says what it is', async () => {
    await startAgent({ BATUTA_AGENT_NAME: 'Till 3' });
    const session = await router.session();
    expect(session.headers.authorization).toBe('Bearer activation-key');
    const hello = await session.next('hello');
    expect(hello).toMatchObject({ protocol: 1, agent: 'Till 3', capacity: 2 });
    expect(hello.abilities).not.toContain('webhookResponse');
    expect(hello.resume).toBeUndefined();
  });

  test('ready is fulfilled by the first welcome', async () => {
    const agent = await startAgent();
    (await router.session()).welcome();
    await expect(agent.ready).resolves.toBeUndefined();
  });

  test.each([401, 403, 404])('an upgrade answered %i at first ends the agent', async (status) => {
    router.refuseWith = status;
    const agent = await startAgent();
    await expect(agent.ready).rejects.toMatchObject({ name: 'RefusedError' });
  });

  test.each([AGENT_CLOSE.badKey, AGENT_CLOSE.environmentGone, AGENT_CLOSE.protocolVersion])(
    'a connection closed with %i at first ends the agent',
    async (code) => {
      const agent = await startAgent();
      (await router.session()).socket.close(code);
      await expect(agent.ready).rejects.toMatchObject({ name: 'RefusedError' });
    },
  );

  test('a refused agent that was connected before tries again', async () => {
    const session = await connected();
    router.refuseWith = 401;
    const refusal = router.refusal();
    session.socket.close(AGENT_CLOSE.badKey);
    await refusal;
    router.refuseWith = undefined;
    expect((await reconnected()).hello.resume).toEqual({ sessionID: 's-1', held: [] });
  });

  test('a router that is away for the moment is tried again', async () => {
    router.refuseWith = 503;
    const refusal = router.refusal();
    const agent = await startAgent();
    await refusal;
    router.refuseWith = undefined;
    (await router.session()).welcome();
    await expect(agent.ready).resolves.toBeUndefined();
  });
});

describe('offer, grant, report', () => {
  test('an accepted and granted instance runs, and its lines and end are reported in numbered reports', async () => {
    const session = await connected();
    await session.start(offerOf(done));
    const { messages, end } = await session.reportsToEnd();
    expect(end).toEqual({ outcome: 'FINALIZED', errorStep: null, errorMessage: null });
    expect(messages).toEqual(['Step "one": started', 'The execution ended without error after 1 step']);
  });

  test('nothing runs before the grant', async () => {
    const session = await connected();
    session.send(offerOf(done));
    await session.next('accept');
    // The answer to a second offer shows that the first had its time.
    session.send(offerOf(done, { instanceID: 'i-2' }));
    await session.next('accept');
    expect(session.frames).toEqual([]);
  });

  test('an offer beyond the capacity is rejected, and a place is free again after an end', async () => {
    const session = await connected();
    await session.start(offerOf(forever));
    await session.start(offerOf(forever, { instanceID: 'i-2' }));
    session.send(offerOf(done, { instanceID: 'i-3' }));
    expect(await session.next('reject')).toMatchObject({ instanceID: 'i-3', reason: 'no free capacity' });
    session.send({ type: 'desired', ...word, desired: 'stop' });
    expect((await session.reportsToEnd()).end.outcome).toBe('STOPPED');
    session.send(offerOf(done, { instanceID: 'i-3', fence: 2 }));
    expect(await session.next('accept')).toMatchObject({ instanceID: 'i-3' });
  });

  test('the next report waits for the acknowledgement of the one before', async () => {
    const session = await connected();
    await session.start(offerOf([{ name: 'w', type: 'wait', seconds: 0.2, routes: [{ to: 'one' }] }, ...done]));
    const first = await session.next('report');
    expect(first.seq).toBe(1);
    session.send(offerOf(done, { instanceID: 'i-2' }));
    await session.next('accept');
    session.send({ type: 'grant', instanceID: 'i-2', fence: 1, desired: 'run' });
    expect((await session.next('report')).instanceID).toBe('i-2');
    expect(session.frames).toEqual([]);
    session.send({ type: 'ack', ...word, seq: 1, accepted: true });
    expect(await session.next('report')).toMatchObject({ ...word, seq: 2 });
  });

  test('late, repeated and foreign acknowledgements change nothing', async () => {
    const session = await connected();
    await session.start(offerOf([{ name: 'w', type: 'wait', seconds: 0.1, routes: [{ to: 'one' }] }, ...done]));
    await session.next('report');
    for (const [fence, seq] of [
      [1, 0],
      [1, 7],
      [2, 1],
    ] as const) {
      session.send({ type: 'ack', instanceID: 'i-1', fence, seq, accepted: true });
    }
    for (let twice = 0; twice < 2; twice += 1) session.send({ type: 'ack', ...word, seq: 1, accepted: true });
    const { end, seq } = await session.reportsToEnd();
    expect([end.outcome, seq > 1]).toEqual(['FINALIZED', true]);
  });

  test('an instance whose report is refused is dropped and stops', async () => {
    const session = await connected();
    await session.start(offerOf(forever));
    await session.next('report');
    session.send({ type: 'ack', ...word, seq: 1, accepted: false });
    session.socket.terminate();
    expect((await reconnected()).hello.resume?.held).toEqual([]);
  });

  test('a revoked offer is forgotten, and a grant of it is answered as crashed', async () => {
    const session = await connected();
    session.send(offerOf(done));
    await session.next('accept');
    session.send({ type: 'revoke', ...word });
    session.send({ type: 'grant', ...word, desired: 'run' });
    expect(await session.next('report')).toMatchObject({ ...word, lines: [], end: { outcome: 'CRASHED' } });
  });

  test('an instance that runs is not begun again by a second offer or grant', async () => {
    const session = await connected();
    await session.start(offerOf(forever));
    await session.next('report');
    session.send({ type: 'grant', ...word, desired: 'run' });
    session.send(offerOf(forever, { fence: 2 }));
    expect(await session.next('reject')).toMatchObject({ instanceID: 'i-1', fence: 2 });
    session.send({ type: 'ack', ...word, seq: 1, accepted: true });
    session.send({ type: 'desired', ...word, desired: 'stop' });
    const { messages } = await session.reportsToEnd();
    expect(messages).toEqual(['The execution was stopped']);
  });

  test('pause and resume arrive', async () => {
    const session = await connected();
    session.send(offerOf(done));
    await session.next('accept');
    session.send({ type: 'grant', ...word, desired: 'pause' });
    expect((await session.next('report')).lines.map((line) => line.message)).toEqual(['The execution is paused']);
    session.send({ type: 'ack', ...word, seq: 1, accepted: true });
    session.send({ type: 'desired', ...word, desired: 'run' });
    expect((await session.reportsToEnd()).end.outcome).toBe('FINALIZED');
  });

  test.each(['nonsense', '[]', '{"type":"dance"}', '{"type":"grant"}', '{"type":"offer","instanceID":7}'])(
    'the bad frame %s is ignored',
    async (frame) => {
      const session = await connected();
      session.socket.send(frame);
      await session.start(offerOf(done));
      expect((await session.reportsToEnd()).end.outcome).toBe('FINALIZED');
    },
  );
});

describe('a broken connection', () => {
  test('an unacknowledged report is sent again, the same, after the resume', async () => {
    const session = await connected();
    await session.start(offerOf(done));
    const first = await session.next('report');
    session.socket.terminate();
    const { session: second, hello } = await reconnected();
    expect(hello.resume).toEqual({ sessionID: 's-1', held: [word] });
    second.welcome({ sessionID: 's-2', granted: [{ ...word, desired: 'run' }] });
    expect(await second.next('report')).toEqual(first);
  });

  test('an instance accepted before and granted by the resume begins', async () => {
    const session = await connected();
    session.send(offerOf(done));
    await session.next('accept');
    session.socket.terminate();
    const { session: second } = await reconnected();
    second.welcome({ sessionID: 's-2', granted: [{ ...word, desired: 'run' }] });
    expect((await second.reportsToEnd()).end.outcome).toBe('FINALIZED');
  });

  test('a stop wanted meanwhile is done by the resume', async () => {
    const session = await connected();
    await session.start(offerOf(forever));
    await session.next('report');
    session.socket.terminate();
    const { session: second } = await reconnected();
    second.welcome({ sessionID: 's-2', granted: [{ ...word, desired: 'stop' }] });
    expect((await second.reportsToEnd()).end.outcome).toBe('STOPPED');
  });

  test.each<[string, Parameters<FakeSession['welcome']>[0]]>([
    ['revoked', { revoked: [word] }],
    ['not mentioned', {}],
    ['granted under another fence', { granted: [{ ...word, fence: 2, desired: 'run' }] }],
  ])('an instance that is %s by the resume is dropped', async (_how, welcome) => {
    const session = await connected();
    await session.start(offerOf(forever));
    await session.next('report');
    session.socket.terminate();
    const { session: second } = await reconnected();
    second.welcome({ sessionID: 's-2', ...welcome });
    second.socket.close();
    expect((await reconnected()).hello.resume).toEqual({ sessionID: 's-2', held: [] });
  });

  test('what runs goes on while the connection is away', async () => {
    const session = await connected();
    await session.start(offerOf([{ name: 'w', type: 'wait', seconds: 0.1, routes: [{ to: 'one' }] }, ...done]));
    session.socket.terminate();
    const { session: second } = await reconnected();
    second.welcome({ sessionID: 's-2', granted: [{ ...word, desired: 'run' }] });
    const { messages } = await second.reportsToEnd();
    expect(messages[0]).toBe('Step "w": started');
    expect(messages.at(-1)).toBe('The execution ended without error after 2 steps');
  });

  test('a router silent for the grace loses what the agent ran, although the connection stands', async () => {
    const session = await connected({ heartbeatSeconds: 5, graceSeconds: 0.3 });
    await session.start(offerOf(forever));
    expect((await reconnected()).hello.resume).toEqual({ sessionID: 's-1', held: [] });
  });

  test('a connection without a word for some heartbeats is given up, what runs is kept', async () => {
    const session = await connected({ heartbeatSeconds: 0.1 });
    await session.start(offerOf(forever));
    await session.next('heartbeat');
    expect((await reconnected()).hello.resume?.held).toEqual([word]);
  });
});

describe('leaving', () => {
  test('a draining agent finishes what it holds and rejects what is offered', async () => {
    const session = await connected();
    await session.start(offerOf([{ name: 'w', type: 'wait', seconds: 0.2 }]));
    const closing = agents[0]?.close({ drainSeconds: 20 });
    await session.next('drain');
    session.send(offerOf(done, { instanceID: 'i-2' }));
    expect(await session.next('reject')).toMatchObject({ instanceID: 'i-2', reason: 'the agent is leaving' });
    expect((await session.reportsToEnd()).end.outcome).toBe('FINALIZED');
    await closing;
    await session.closed;
  });

  test('what is not finished in time ends as crashed, and is told', async () => {
    const session = await connected();
    await session.start(offerOf(forever));
    await session.next('report');
    session.send({ type: 'ack', ...word, seq: 1, accepted: true });
    const closing = agents[0]?.close({ drainSeconds: 0 });
    expect((await session.reportsToEnd()).end).toMatchObject({
      outcome: 'CRASHED',
      errorMessage: expect.stringContaining('shut down'),
    });
    await closing;
  });
});

test('the request id of the offer goes along with the calls of the flow', async () => {
  const server = createServer((request, response) => response.end(request.headers['x-request-id']));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const session = await connected();
  const url = `http://127.0.0.1:${port}/`;
  const steps: Step[] = [
    { name: 'call', type: 'rest', method: 'GET', url, as: 'answer', routes: [{ to: 'show' }] },
    { name: 'show', type: 'variables', rows: [{ name: 'id', mode: 'Variável ou texto', value: '{answer.body}' }] },
  ];
  await session.start(offerOf(steps, { requestID: 'r-9' }));
  expect((await session.reportsToEnd()).messages).toContain('Step "show": id = "r-9"');
  server.closeAllConnections();
  server.close();
});

test('the agent says the version of the release', () => {
  expect(AGENT_VERSION).toBe(manifest.version);
});
