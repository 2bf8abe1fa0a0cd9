import { RESPONSE_CODES, type Flow, type Step } from '@batuta/flow';
import { TestAgent } from '../../../apps/router/test/test-agent';
import { answeringFlow, echoFlow, waitingFlow } from '../support/tenants/answer-flows';
import { makeEnvironment, makeProcess, type Environment, type Process } from '../support/tenants/factories';
import { untilEnded, instanceOf, messagesOf, untilStatus, statusOf, untilOnline } from '../support/tenants/instances';
import { startBarrier, type Barrier } from '../support/faults/barrier';
import { makeOrigin, sendEvent, type WebhookResponse, type Origin } from '../support/webhooks/webhooks';
import { startStack } from '../support/stack/in-process-stack';
import type { Stack } from '../support/stack/stack';
import { until } from '../support/until';

// Mode Aguardar: every outcome over HTTP with a real agent, and with an agent that the test plays for what a real one never does.

const EVENT = { total: '10,5' };
const MATRIX = [{ name: 'total', type: 'Moeda' }];

let stack: Stack;
let environment: Environment;
let barrier: Barrier;

beforeAll(async () => {
  barrier = await startBarrier();
  stack = await startStack();
  environment = await makeEnvironment(stack, { capacity: 10 });
  await stack.startAgent(environment);
  await untilOnline(environment);
});

afterAll(async () => {
  await barrier?.stop();
  await stack?.stop();
});

async function makeWaitingOrigin(flow: Flow, settings: object = {}, at = environment): Promise<Origin> {
  const process = await makeProcess(stack, { environment: at, matrix: MATRIX, flow });
  return makeOrigin(process, { mapping: { total: '/total' }, responseMode: 'Aguardar', waitSeconds: 60, ...settings });
}

/** Sends one event to a new process with this flow in mode Aguardar; returns the answer with the process. */
async function callAndAnswer(flow: Flow, settings: object = {}): Promise<WebhookResponse & { process: Process }> {
  const { prodUrl, process } = await makeWaitingOrigin(flow, settings);
  return { ...(await sendEvent(prodUrl, EVENT)), process };
}

const singleStepFlow = (step: Omit<Extract<Step, { type: 'variables' }>, 'name' | 'type'>): Flow => ({
  start: 'Only step',
  steps: [{ name: 'Only step', type: 'variables', ...step }],
});
const FAILING_FLOW: Flow = {
  start: 'Fail',
  steps: [{ name: 'Fail', type: 'script', code: 'throw new Error("secret of the house")' }],
};

describe('answers', () => {
  test.each(RESPONSE_CODES)('a process answers its caller with code %i and its own JSON', async (code) => {
    const answer = await callAndAnswer(answeringFlow('{ "order": [1, null, "ç"] }', code));
    expect(answer).toMatchObject({ status: code, body: { order: [1, null, 'ç'] } });
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await statusOf(answer.process.owner, answer.instanceID)).toMatchObject({
      processID: answer.process.processID,
    });
  });

  test('a process answers 200 when its flow sets no code, with values in their formats', async () => {
    expect(await callAndAnswer(echoFlow(['total']))).toMatchObject({ status: 200, body: { total: 10.5 } });
  });

  test('a process that answers continues after its answer, and only the first of several answers is sent', async () => {
    const flow: Flow = {
      start: 'First',
      steps: [
        { name: 'First', type: 'webhookResponse', body: '{"n":1}', routes: [{ to: 'Gate' }] },
        barrier.step('Gate', [{ to: 'Second' }]),
        { name: 'Second', type: 'webhookResponse', code: 500, body: '{"n":2}' },
      ],
    };
    barrier.shut();
    const { status, body, instanceID, process } = await callAndAnswer(flow);
    expect([status, body]).toEqual([200, { n: 1 }]);
    expect(await statusOf(process.owner, instanceID)).toMatchObject({ status: 'running' });
    barrier.open();
    expect(await untilEnded(process.owner, instanceID)).toMatchObject({
      status: 'success',
      response: { code: 200, body: { n: 1 } },
    });
  });

  test('a process that answers sends up to 256 KB; a larger answer is not sent and leaves a warning in the log', async () => {
    const bodyOf = (bytes: number): Flow => ({
      start: 'Make it long',
      steps: [
        {
          name: 'Make it long',
          type: 'script',
          code: `return 'x'.repeat(${bytes - 2})`,
          as: 'long',
          routes: [{ to: 'Answer' }],
        },
        { name: 'Answer', type: 'webhookResponse', body: '{{long}}' },
      ],
    });
    const most = await callAndAnswer(bodyOf(262_144));
    expect([most.status, String(most.body).length]).toEqual([200, 262_142]);
    const more = await callAndAnswer(bodyOf(262_145));
    expect([more.status, more.body]).toEqual([202, { instanceID: more.instanceID, status: 'FINALIZED' }]);
    const logs = await more.process.owner.client.instance(more.instanceID).logs();
    expect(logs.filter(({ severity }) => severity === 'WARNING').map(({ stepID }) => stepID)).toEqual(['Answer']);
  });
});

describe('ends', () => {
  test.each<[what: string, status: number, word: string, flow: Flow]>([
    ['at its end', 202, 'FINALIZED', singleStepFlow({})],
    [
      'in a branch without a next step',
      202,
      'FINALIZED',
      singleStepFlow({ routes: [{ when: '{matrix.total} > 1000', terminate: true }] }),
    ],
    ['by a terminate route', 500, 'TERMINATED', singleStepFlow({ routes: [{ terminate: true }] })],
    [
      'at the step limit of the agent',
      500,
      'STEP_LIMIT_REACHED',
      { ...singleStepFlow({ routes: [{ to: 'Only step' }] }), stepLimit: 3 },
    ],
    ['by a failure', 500, 'ERROR', FAILING_FLOW],
  ])('a process that ends without an answer %s gives %i %s', async (_, status, word, flow) => {
    const answer = await callAndAnswer(flow);
    // The answer contains neither an error message nor a variable.
    expect([answer.status, answer.body]).toEqual([status, { instanceID: answer.instanceID, status: word }]);
  });

  test('a process that ends without an answer because it is stopped gives 500 STOPPED', async () => {
    const { prodUrl, process } = await makeWaitingOrigin(waitingFlow(600), { waitSeconds: 120 });
    const answer = sendEvent(prodUrl, EVENT);
    const instanceID = await runningInstanceOf(process);
    await process.owner.client.instance(instanceID).stop();
    expect(await answer).toMatchObject({ status: 500, body: { instanceID, status: 'STOPPED' }, instanceID });
  });
});

describe('time limit', () => {
  test('the end of the wait answers 202 running while the instance runs; the later answer is stored with the instance', async () => {
    const late: Flow = {
      start: 'Gate',
      steps: [
        barrier.step('Gate', [{ to: 'Answer' }]),
        { name: 'Answer', type: 'webhookResponse', code: 201, body: '{ "late": true }' },
      ],
    };
    barrier.shut();
    // The barrier guarantees that the instance runs and has no answer yet, whatever the machine's speed.
    const { status, body, instanceID, process } = await callAndAnswer(late, { waitSeconds: 12 });
    expect([status, body]).toEqual([202, { instanceID, status: 'running' }]);
    expect(await statusOf(process.owner, instanceID)).not.toHaveProperty('response');
    barrier.open();
    expect(await untilEnded(process.owner, instanceID)).toMatchObject({
      status: 'success',
      response: { code: 201, body: { late: true } },
    });
  });

  test('the end of the wait answers 202 queued while the instance is queued in a busy environment, and the instance runs later', async () => {
    const small = await makeEnvironment(stack, { capacity: 1 });
    await stack.startAgent(small);
    await untilOnline(small);
    const busy = await makeProcess(stack, { environment: small, flow: waitingFlow(600) });
    const { instanceID: running } = await untilStatus(busy.owner, instanceOf(await busy.start()), 'running');
    const { prodUrl, process } = await makeWaitingOrigin(echoFlow(['total']), { waitSeconds: 1 }, small);
    const answer = await sendEvent(prodUrl, EVENT);
    expect([answer.status, answer.body]).toEqual([202, { instanceID: answer.instanceID, status: 'queued' }]);
    await busy.owner.client.instance(running).stop();
    expect(await untilEnded(process.owner, answer.instanceID)).toMatchObject({
      status: 'success',
      response: { code: 200, body: { total: 10.5 } },
    });
  });

  test('the end of the wait comes at once with 202 queued without an agent online', async () => {
    const { prodUrl, process } = await makeWaitingOrigin(
      echoFlow(['total']),
      { waitSeconds: 120 },
      await makeEnvironment(stack),
    );
    const answer = await sendEvent(prodUrl, EVENT);
    expect([answer.status, answer.body]).toEqual([202, { instanceID: answer.instanceID, status: 'queued' }]);
    expect(await statusOf(process.owner, answer.instanceID)).toMatchObject({ status: 'queued' });
  });
});

describe('agents without the client library', () => {
  const CAN_ANSWER = { abilities: ['variables', 'webhookResponse'] };

  /** Sends one event to a process whose only agent is the test, which does `act`; returns the answer with the process. */
  async function answerWithAgent(hello: object, act: (agent: TestAgent) => Promise<void>, settings: object = {}) {
    const place = await makeEnvironment(stack);
    const { agent } = await TestAgent.join(stack.router, place.activationKey, hello);
    try {
      const { prodUrl, process } = await makeWaitingOrigin(echoFlow(['total']), settings, place);
      const [answer] = await Promise.all([sendEvent(prodUrl, EVENT), act(agent)]);
      return { ...answer, process };
    } finally {
      agent.cut();
    }
  }

  const report = (agent: TestAgent, held: { instanceID: string; fence: number }, more: object) =>
    agent.send({ type: 'report', ...held, seq: 1, lines: [], ...more });
  const end = (outcome: string) => ({ end: { outcome, errorStep: null, errorMessage: null } });

  test.each([
    ['a code that is none of the list', { code: 302, body: '{}' }],
    ['a body that is no JSON', { code: 200, body: '{' }],
    ['no body', { code: 200 }],
  ])('an agent that answers %s gives its caller 502 INVALID_RESPONSE', async (_, response) => {
    const answer = await answerWithAgent(CAN_ANSWER, async (agent) =>
      report(agent, await agent.acceptOffer(), { response }),
    );
    expect([answer.status, answer.body]).toEqual([502, { instanceID: answer.instanceID, status: 'INVALID_RESPONSE' }]);
    expect(await statusOf(answer.process.owner, answer.instanceID)).not.toHaveProperty('response');
  });

  test('an agent that reports a crash answers the caller with 500 CRASHED', async () => {
    const answer = await answerWithAgent(CAN_ANSWER, async (agent) =>
      report(agent, await agent.acceptOffer(), end('CRASHED')),
    );
    expect([answer.status, answer.body]).toEqual([500, { instanceID: answer.instanceID, status: 'CRASHED' }]);
  });

  test('an agent that does not know the response step makes its caller wait to the end', async () => {
    const reportFailure = async (agent: TestAgent) => report(agent, await agent.acceptOffer(), end('ERROR'));
    const answer = await answerWithAgent({ abilities: ['variables'] }, reportFailure, { waitSeconds: 2 });
    expect(answer.instanceID).not.toBe('');
    expect(answer.milliseconds).toBeGreaterThanOrEqual(1_900);
    expect(await untilEnded(answer.process.owner, answer.instanceID)).toMatchObject({ status: 'error' });
  });

  test('an agent learns from the offer whether a caller waits', async () => {
    const awaitedFlags: unknown[] = [];
    const recordAwaited = async (agent: TestAgent) => {
      const { instanceID, fence, awaited } = await agent.takeFrame('offer');
      awaitedFlags.push(awaited ?? false);
      agent.send({ type: 'accept', instanceID, fence });
      await agent.takeFrame('grant');
      report(agent, { instanceID, fence }, end('FINALIZED'));
    };
    await answerWithAgent(CAN_ANSWER, recordAwaited);
    await answerWithAgent(CAN_ANSWER, recordAwaited, { responseMode: 'Imediata' });
    expect(awaitedFlags).toEqual([true, false]);
  });
});

test('in mode Imediata the answer is not sent but logged', async () => {
  const { status, body, instanceID, process } = await callAndAnswer(answeringFlow('{ "order": 7 }', 409), {
    responseMode: 'Imediata',
  });
  expect([status, body]).toEqual([200, { instanceID, status: 'started' }]);
  const last = await untilEnded(process.owner, instanceID);
  expect(last.status).toBe('success');
  expect(last).not.toHaveProperty('response');
  expect((await messagesOf(process.owner, instanceID)).join('\n')).toMatch(/409[^]*\{ "order": 7 \}/);
});

/** Awaits that the first instance of the process runs; returns its id. */
async function runningInstanceOf(process: Process): Promise<string> {
  const list = async () =>
    JSON.stringify(await process.owner.manage('GET', `/processes/${process.processID}/instances`));
  const text = await until(list, (all) => all.includes('"running"'));
  return /"instanceID":"([^"]+)"/.exec(text)?.[1] ?? '';
}
