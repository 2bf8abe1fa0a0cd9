import { notifications, type AwaitedState, type StartReply } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { request as httpRequest } from 'node:http';
import { waitUntil } from '../../../../../test/support/wait-until';
import { createGateway, type Gateway } from '../../app';
import { answers, asked } from '../../../test/fake-execution';
import { webhookAnswers } from '../../../test/fake-webhook';
import { startWorld, type World } from '../../../test/world';

let world: World;
let second: Gateway;
let rpc: Rpc;
let processID: string;
let token: string;
/** The gateway's clock; it stands still unless a test moves it. */
let now = Date.now();

beforeAll(async () => {
  world = await startWorld({}, () => now);
  second = await createGateway(world.config, () => now);
  rpc = await Rpc.connect(world.config.NATS_URL, 'test');
});

afterAll(async () => {
  await rpc?.close();
  await second?.close();
  await world?.close();
});

const original = [{ ...answers }, { ...webhookAnswers }];
beforeEach(async () => {
  // Each test has its own process, because a replica holds unused permits for a moment.
  processID = await world.registry.process(await world.registry.account());
  token = (await world.registry.origin(processID, { responseMode: 'Aguardar', waitSeconds: WAIT_MS / 1_000 })).prod;
  asked.length = 0;
  states.clear();
  Object.assign(answers, original[0]);
  Object.assign(webhookAnswers, original[1]);
  answers.awaited = async ({ instanceIDs }) => ({
    states: instanceIDs.flatMap((instanceID) => states.get(instanceID) ?? []),
  });
});

/** The instances of the fake execution service. */
const states = new Map<string, AwaitedState>();

const requestsTo = (subject: string) =>
  asked.filter((each) => each.subject === subject).map(({ request }) => Object(request));
/** The number of permits in the last renewal for the process. */
const lastRenewed = (): number | undefined =>
  requestsTo('webhook.keep')
    .flatMap(({ places }) => places)
    .findLast((permits) => permits.processID === processID)?.count;
const permitReturned = () => waitUntil('the permit is returned', () => lastRenewed() === 0);

/** The wait limit of the origin. */
const WAIT_MS = 120_000;

interface Answer {
  status: number;
  text: string;
  instance: string | null;
}

async function post(url = world.gateway.url): Promise<Answer> {
  const response = await fetch(`${url}/v1/hooks/${processID}/${token}`, { method: 'POST', body: '{}' });
  return { status: response.status, text: await response.text(), instance: response.headers.get('x-instance-id') };
}

/** Starts a call; `answer` resolves when the gateway responds. */
async function waiting(url = world.gateway.url) {
  const before = requestsTo('webhook.start').length;
  const answer = post(url);
  const started = await waitUntil('the start is requested', () => requestsTo('webhook.start')[before]);
  return { instanceID: String(started.instanceID), answer };
}

const json = '{ "order":1.0,"by": "José" }';
const answered = (instanceID: string): AwaitedState => ({
  instanceID,
  status: 'running',
  outcome: null,
  answer: { valid: true, code: 201, body: json },
});
/** Messages published after this arrive after the notification. */
const notify = async (instanceID: string, state = answered(instanceID)) => {
  rpc.notify(notifications.answered, { instanceID, state });
  await rpc.ping();
};
const statusBody = (instanceID: string, status: string) => JSON.stringify({ instanceID, status });
const statusAnswer = (instanceID: string, code: number, status: string) => ({
  status: code,
  text: statusBody(instanceID, status),
  instance: instanceID,
});

test('a call in the mode Aguardar marks its start as awaited and requests a permit of the process', async () => {
  const { instanceID, answer } = await waiting();
  expect(requestsTo('webhook.start')).toEqual([expect.objectContaining({ instanceID, awaited: true })]);
  const request = await waitUntil('a permit is requested', () => requestsTo('webhook.wait')[0]);
  expect(request).toEqual({ holder: expect.any(String), turn: expect.any(Number), processID, want: 1 });
  rpc.notify(notifications.answered, { instanceID, state: answered(instanceID) });
  await answer;
});

test('the response has the code and the unparsed JSON of the process, and the permit is returned', async () => {
  const { instanceID, answer } = await waiting();
  rpc.notify(notifications.answered, { instanceID, state: answered(instanceID) });
  expect(await answer).toEqual({ status: 201, text: json, instance: instanceID });
  await permitReturned();
});

test('the response to an answered call is JSON and has no header set by the process', async () => {
  const { instanceID } = await waiting();
  const response = fetch(`${world.gateway.url}/v1/hooks/${processID}/${token}`, { method: 'POST' });
  const { instanceID: other } = await waitUntil('both starts are requested', () => requestsTo('webhook.start')[1]);
  for (const id of [instanceID, other])
    rpc.notify(notifications.answered, {
      instanceID: id,
      state: { ...answered(id), answer: { valid: true, code: 401, body: '5' } },
    });
  const { headers, status } = await response;
  const names = [...headers.keys()].filter((name) => !['date', 'connection', 'keep-alive'].includes(name));
  expect([status, headers.get('content-type')]).toEqual([401, 'application/json; charset=utf-8']);
  expect(names.toSorted()).toEqual([
    'cache-control',
    'content-length',
    'content-type',
    'ratelimit',
    'ratelimit-policy',
    'x-content-type-options',
    'x-instance-id',
    'x-request-id',
  ]);
});

test('a notification without a state makes the gateway poll execution', async () => {
  const { instanceID, answer } = await waiting();
  const large = {
    ...answered(instanceID),
    answer: { valid: true as const, code: 200, body: `"${'x'.repeat(262_142)}"` },
  };
  states.set(instanceID, large);
  rpc.notify(notifications.answered, { instanceID });
  expect((await answer).text).toBe(large.answer.body);
});

test('a poll returns the answer when its notification was lost', async () => {
  const { instanceID, answer } = await waiting();
  states.set(instanceID, { instanceID, status: 'success', outcome: 'FINALIZED' });
  expect(await answer).toEqual(statusAnswer(instanceID, 202, 'FINALIZED'));
});

test('one poll asks for all callers of a replica', async () => {
  const calls = [await waiting(), await waiting(), await waiting(second.url)];
  const ids = calls.map(({ instanceID }) => instanceID);
  await waitUntil('one poll names both instances of the first replica', () =>
    requestsTo('awaited').some(({ instanceIDs }) => instanceIDs.includes(ids[0]) && instanceIDs.includes(ids[1])),
  );
  for (const { instanceIDs } of requestsTo('awaited')) {
    expect(instanceIDs.includes(ids[2]) && instanceIDs.length > 1).toBe(false);
  }
  for (const id of ids) rpc.notify(notifications.answered, { instanceID: id, state: answered(id) });
  for (const { answer } of calls) expect((await answer).status).toBe(201);
});

test('large answers that do not fit into one reply arrive with the next poll', async () => {
  answers.awaited = async ({ instanceIDs }) => ({
    states: instanceIDs.flatMap((id) => states.get(id) ?? []).slice(0, 1),
  });
  const calls = [await waiting(), await waiting(), await waiting()];
  for (const { instanceID } of calls) states.set(instanceID, answered(instanceID));
  for (const { instanceID } of calls) rpc.notify(notifications.answered, { instanceID });
  for (const { answer } of calls) expect((await answer).text).toBe(json);
});

test('every replica responds to its own callers', async () => {
  const [one, other] = [await waiting(), await waiting(second.url)];
  for (const { instanceID, answer } of [other, one]) {
    rpc.notify(notifications.answered, { instanceID, state: answered(instanceID) });
    expect(await answer).toEqual({ status: 201, text: json, instance: instanceID });
  }
});

describe('when the wait limit, counted from the arrival of the call, is over', () => {
  /** Starts a call and waits until its permit is requested. */
  const permitRequested = async () => {
    const call = await waiting();
    await waitUntil('a permit is requested', () => requestsTo('webhook.wait')[0]);
    return call;
  };

  test.each([
    ['running', 'running'],
    ['queued', 'queued'],
    ['unknown', 'queued'],
  ] as const)('an instance that is %s at the last poll gives 202 %s', async (status, shown) => {
    const { instanceID, answer } = await permitRequested();
    states.set(instanceID, { instanceID, status, outcome: null });
    now += WAIT_MS;
    expect(await answer).toEqual(statusAnswer(instanceID, 202, shown));
    await permitReturned();
  });

  test('the last poll returns an answer whose notification was lost', async () => {
    const over = now + WAIT_MS;
    answers.awaited = async ({ instanceIDs }) => ({ states: now < over ? [] : instanceIDs.map(answered) });
    const { answer } = await permitRequested();
    now = over;
    expect((await answer).text).toBe(json);
  });

  test('the response has the last known status when execution does not reply', async () => {
    answers.awaited = async () => {
      throw new ApiError('UNAVAILABLE');
    };
    const { instanceID, answer } = await permitRequested();
    await notify(instanceID, { instanceID, status: 'running', outcome: null });
    // The second poll begins after the reply to the first, which arrives after the notification.
    const polls = requestsTo('awaited').length;
    await waitUntil('two more polls', () => requestsTo('awaited').length > polls + 1);
    now += WAIT_MS;
    expect(await answer).toEqual(statusAnswer(instanceID, 202, 'running'));
  });

  test('a start that used up the whole wait limit requests no permit', async () => {
    webhookAnswers.start = async ({ instanceID }) => {
      now += WAIT_MS;
      return { instanceID, status: 'started' };
    };
    const { status, text } = await post();
    expect([status, JSON.parse(text).status]).toEqual([202, 'queued']);
    expect(requestsTo('webhook.wait')).toEqual([]);
  });
});

test('a caller waits until an answer or the wait limit when the agent is too old to answer, although the instance has ended', async () => {
  const { instanceID, answer } = await waiting();
  const state: AwaitedState = { instanceID, status: 'error', outcome: 'ERROR', mute: true };
  states.set(instanceID, state);
  await notify(instanceID, state);
  const polls = () => requestsTo('awaited').filter(({ instanceIDs }) => instanceIDs.includes(instanceID)).length;
  await waitUntil('the instance is polled twice', () => polls() > 1);
  await notify(instanceID);
  expect((await answer).text).toBe(json);
});

describe('a call does not wait', () => {
  test.each<[string, Partial<StartReply> & Pick<StartReply, 'status'>, number, string | undefined]>([
    ['was queued', { status: 'queued' }, 202, 'queued'],
    ['is a replay', { status: 'started', replayed: true, instanceID: 'first' }, 200, undefined],
  ])('when its start %s', async (_, reply, code, shown) => {
    webhookAnswers.start = async ({ instanceID }) => ({ instanceID, ...reply });
    const { status, text, instance } = await post();
    expect([status, JSON.parse(text).status, instance]).toEqual([code, shown, JSON.parse(text).instanceID]);
    expect(requestsTo('webhook.wait')).toEqual([]);
  });

  test('when its start is refused', async () => {
    webhookAnswers.start = async () => {
      throw new ApiError('AGENT_OFFLINE', 'why');
    };
    expect((await post()).status).toBe(503);
    expect(requestsTo('webhook.wait')).toEqual([]);
  });

  test('when the process has no permit left: 200 as in the mode Imediata', async () => {
    webhookAnswers.acquirePermits = async () => ({ granted: 0 });
    const { status, text, instance } = await post();
    const { instanceID } = requestsTo('webhook.start')[0];
    expect([status, text, instance]).toEqual([200, statusBody(instanceID, 'started'), instanceID]);
    expect(lastRenewed()).toBeUndefined();
  });

  test('when the webhook service does not reply, and a permit granted by a lost reply is returned', async () => {
    webhookAnswers.acquirePermits = async () => {
      throw new ApiError('UNAVAILABLE');
    };
    const { status, text, instance } = await post();
    expect([status, text]).toEqual([200, statusBody(String(instance), 'started')]);
    await permitReturned();
  });

  test('when the replica already has the maximum number of waiting callers', async () => {
    const small = await createGateway({ ...world.config, MOST_WAITING_CALLS: 1 });
    try {
      const { instanceID, answer } = await waiting(small.url);
      const { status, text, instance } = await post(small.url);
      expect([status, text]).toEqual([200, statusBody(String(instance), 'started')]);
      expect(requestsTo('webhook.start')[1]).toMatchObject({ awaited: true });
      rpc.notify(notifications.answered, { instanceID, state: answered(instanceID) });
      expect((await answer).status).toBe(201);
      const again = await waiting(small.url);
      rpc.notify(notifications.answered, { instanceID: again.instanceID, state: answered(again.instanceID) });
      expect((await again.answer).status).toBe(201);
    } finally {
      await small.close();
    }
  });
});

describe('an answer that arrives before the reply to the permit request', () => {
  const answerBeforeReply = (granted: number) => {
    webhookAnswers.acquirePermits = async () => {
      await notify(requestsTo('webhook.start')[0].instanceID);
      return { granted };
    };
    return post();
  };

  test('is returned when the permit is granted', async () => {
    expect(await answerBeforeReply(1)).toMatchObject({ status: 201, text: json });
  });

  test('is not returned when no permit is granted', async () => {
    const { status, text, instance } = await answerBeforeReply(0);
    expect([status, text]).toEqual([200, statusBody(String(instance), 'started')]);
  });

  test('is returned although it also arrives before the reply to the start', async () => {
    webhookAnswers.start = async ({ instanceID }) => {
      await notify(instanceID);
      return { instanceID, status: 'started' };
    };
    expect(await post()).toMatchObject({ status: 201, text: json });
  });
});

describe('a caller that disconnects', () => {
  const metrics = async () => (await fetch(`${world.gateway.url}/metrics`)).text();
  const count = async () =>
    /gateway_requests_total\{[^}]*hooks[^}]*aborted[^}]*\} (\d+)/.exec(await metrics())?.[1] ?? '0';
  let before = '0';
  beforeEach(async () => {
    before = await count();
  });
  const aborted = () => waitUntil('the gateway counts the aborted request', async () => (await count()) !== before);

  /** A call on its own connection. */
  const cancellableCall = () => {
    const { hostname, port } = new URL(world.gateway.url);
    const sent = httpRequest({
      hostname,
      port,
      method: 'POST',
      path: `/v1/hooks/${processID}/${token}`,
      agent: false,
    });
    sent.on('error', () => {});
    sent.end('{}');
    return sent;
  };

  test('while it waits returns its permit', async () => {
    const sent = cancellableCall();
    await waitUntil('a permit is requested', () => requestsTo('webhook.wait')[0]);
    sent.destroy();
    expect(await permitReturned()).toBe(true);
  });

  test('before the reply to the permit request returns the granted permit', async () => {
    let decide = () => {};
    const decision = new Promise<void>((resolve) => {
      decide = resolve;
    });
    webhookAnswers.acquirePermits = async () => {
      await decision;
      return { granted: 1 };
    };
    const sent = cancellableCall();
    await waitUntil('a permit is requested', () => requestsTo('webhook.wait')[0]);
    sent.destroy();
    await aborted();
    decide();
    expect(await permitReturned()).toBe(true);
  });

  test('before the start is accepted requests no permit', async () => {
    let accept = () => {};
    const acceptance = new Promise<void>((resolve) => {
      accept = resolve;
    });
    webhookAnswers.start = async ({ instanceID }) => {
      await acceptance;
      return { instanceID, status: 'started' };
    };
    const sent = cancellableCall();
    await waitUntil('the start is requested', () => requestsTo('webhook.start')[0]);
    sent.destroy();
    await aborted();
    accept();
    await waitUntil('no caller waits', async () => /gateway_waiting_calls\{[^}]*\} 0/.test(await metrics()));
    expect(requestsTo('webhook.wait')).toEqual([]);
  });
});

describe('a gateway that shuts down', () => {
  test('lets callers wait until shortly before CLOSE_TIMEOUT_MS and then responds with the last known status', async () => {
    const closing = await createGateway({ ...world.config, CLOSE_TIMEOUT_MS: WAIT_MS / 2 }, () => now);
    const [answeredCall, openCall] = [await waiting(closing.url), await waiting(closing.url)];
    states.set(openCall.instanceID, { instanceID: openCall.instanceID, status: 'running', outcome: null });
    const closed = closing.close();
    rpc.notify(notifications.answered, {
      instanceID: answeredCall.instanceID,
      state: answered(answeredCall.instanceID),
    });
    expect((await answeredCall.answer).text).toBe(json);
    // The clock moves, but not to the end of the wait limit.
    const end = now + WAIT_MS;
    const time = setInterval(() => (now = Math.min(now + 500, end - 1)), 1);
    const answer = await openCall.answer.finally(() => clearInterval(time));
    expect(answer).toEqual(statusAnswer(openCall.instanceID, 202, 'running'));
    await closed;
    expect(lastRenewed()).toBe(0);
  });

  test('closes at once when no caller waits', async () => {
    const closing = await createGateway({ ...world.config, CLOSE_TIMEOUT_MS: 600_000 });
    const { instanceID, answer } = await waiting(closing.url);
    rpc.notify(notifications.answered, { instanceID, state: answered(instanceID) });
    expect((await answer).status).toBe(201);
    await closing.close();
  });
});
