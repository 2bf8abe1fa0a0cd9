import { notifications, type AwaitedState, type StartReply } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { request as httpRequest } from 'node:http';
import { waitUntil } from '../../../../test/support/wait-until';
import { createGateway, type Gateway } from '../app';
import { answers, asked } from '../../test/fake-execution';
import { webhookAnswers } from '../../test/fake-webhook';
import { startWorld, type World } from '../../test/world';

let world: World;
let second: Gateway;
let rpc: Rpc;
let processID: string;
let token: string;
/** The gateway's clock: it stands still but for the tests that move it. */
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
  // A process of its own for each test: places of one stay with the replica for a moment.
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

/** What the fake execution knows. */
const states = new Map<string, AwaitedState>();

const subjects = (subject: string) =>
  asked.filter((each) => each.subject === subject).map(({ request }) => Object(request));
/** How many places of the process a replica last said that it keeps. */
const kept = (): number | undefined =>
  subjects('webhook.keep')
    .flatMap(({ places }) => places)
    .findLast((place) => place.processID === processID)?.count;
const givenBack = () => waitUntil('the place is given back', () => kept() === 0);

/** How long a caller waits at the most. */
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

/** A call that is held until its process answers. */
async function waiting(url = world.gateway.url) {
  const before = subjects('webhook.start').length;
  const answer = post(url);
  const started = await waitUntil('it starts', () => subjects('webhook.start')[before]);
  return { instanceID: String(started.instanceID), answer };
}

const json = '{ "order":1.0,"by": "José" }';
const answered = (instanceID: string): AwaitedState => ({
  instanceID,
  status: 'running',
  outcome: null,
  answer: { valid: true, code: 201, body: json },
});
/** What is said on the bus after this comes after the hint. */
const tell = async (instanceID: string, state = answered(instanceID)) => {
  rpc.notify(notifications.answered, { instanceID, state });
  await rpc.ping();
};
const word = (instanceID: string, status: string) => JSON.stringify({ instanceID, status });
const toldWord = (instanceID: string, status: number, text: string) => ({
  status,
  text: word(instanceID, text),
  instance: instanceID,
});

test('the start says that its answer is wanted, and a place of the process is asked for', async () => {
  const { instanceID, answer } = await waiting();
  expect(subjects('webhook.start')).toEqual([expect.objectContaining({ instanceID, awaited: true })]);
  const place = await waitUntil('a place is asked for', () => subjects('webhook.wait')[0]);
  expect(place).toEqual({ holder: expect.any(String), turn: expect.any(Number), processID, want: 1 });
  rpc.notify(notifications.answered, { instanceID, state: answered(instanceID) });
  await answer;
});

test('the process’s JSON is sent as it is, under its code, and the place given back', async () => {
  const { instanceID, answer } = await waiting();
  rpc.notify(notifications.answered, { instanceID, state: answered(instanceID) });
  expect(await answer).toEqual({ status: 201, text: json, instance: instanceID });
  await givenBack();
});

test('an answer carries no header of the process, and is JSON', async () => {
  const { instanceID } = await waiting();
  const response = fetch(`${world.gateway.url}/v1/hooks/${processID}/${token}`, { method: 'POST' });
  const { instanceID: other } = await waitUntil('both start', () => subjects('webhook.start')[1]);
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

test('a hint without a state makes it look', async () => {
  const { instanceID, answer } = await waiting();
  const large = {
    ...answered(instanceID),
    answer: { valid: true as const, code: 200, body: `"${'x'.repeat(262_142)}"` },
  };
  states.set(instanceID, large);
  rpc.notify(notifications.answered, { instanceID });
  expect((await answer).text).toBe(large.answer.body);
});

test('a lost hint is made up for by a look', async () => {
  const { instanceID, answer } = await waiting();
  states.set(instanceID, { instanceID, status: 'success', outcome: 'FINALIZED' });
  expect(await answer).toEqual(toldWord(instanceID, 202, 'FINALIZED'));
});

test('all that wait are looked after with one question', async () => {
  const calls = [await waiting(), await waiting(), await waiting(second.url)];
  const ids = calls.map(({ instanceID }) => instanceID);
  await waitUntil('one question for the two of one replica', () =>
    subjects('awaited').some(({ instanceIDs }) => instanceIDs.includes(ids[0]) && instanceIDs.includes(ids[1])),
  );
  for (const { instanceIDs } of subjects('awaited')) {
    expect(instanceIDs.includes(ids[2]) && instanceIDs.length > 1).toBe(false);
  }
  for (const id of ids) rpc.notify(notifications.answered, { instanceID: id, state: answered(id) });
  for (const { answer } of calls) expect((await answer).status).toBe(201);
});

test('large answers that do not fit into one reply come with the next', async () => {
  answers.awaited = async ({ instanceIDs }) => ({
    states: instanceIDs.flatMap((id) => states.get(id) ?? []).slice(0, 1),
  });
  const calls = [await waiting(), await waiting(), await waiting()];
  for (const { instanceID } of calls) states.set(instanceID, answered(instanceID));
  for (const { instanceID } of calls) rpc.notify(notifications.answered, { instanceID });
  for (const { answer } of calls) expect((await answer).text).toBe(json);
});

test('every replica wakes its own callers', async () => {
  const [one, other] = [await waiting(), await waiting(second.url)];
  for (const { instanceID, answer } of [other, one]) {
    rpc.notify(notifications.answered, { instanceID, state: answered(instanceID) });
    expect(await answer).toEqual({ status: 201, text: json, instance: instanceID });
  }
});

describe('at the end of the wait, counted from the arrival of the call,', () => {
  /** One whose start has not taken all of the time: it has its place. */
  const held = async () => {
    const call = await waiting();
    await waitUntil('it has a place', () => subjects('webhook.wait')[0]);
    return call;
  };

  test.each([
    ['running', 'running'],
    ['queued', 'queued'],
    ['unknown', 'queued'],
  ] as const)('what is %s answers 202 %s, after one last look', async (status, told) => {
    const { instanceID, answer } = await held();
    states.set(instanceID, { instanceID, status, outcome: null });
    now += WAIT_MS;
    expect(await answer).toEqual(toldWord(instanceID, 202, told));
    await givenBack();
  });

  test('what answered unheard answers', async () => {
    const over = now + WAIT_MS;
    answers.awaited = async ({ instanceIDs }) => ({ states: now < over ? [] : instanceIDs.map(answered) });
    const { answer } = await held();
    now = over;
    expect((await answer).text).toBe(json);
  });

  test('what is not heard of, because execution is away, counts as it was last seen', async () => {
    answers.awaited = async () => {
      throw new ApiError('UNAVAILABLE');
    };
    const { instanceID, answer } = await held();
    await tell(instanceID, { instanceID, status: 'running', outcome: null });
    // The second look after the hint shows that the first was answered, before which the hint had come.
    const looks = subjects('awaited').length;
    await waitUntil('it has looked twice', () => subjects('awaited').length > looks + 1);
    now += WAIT_MS;
    expect(await answer).toEqual(toldWord(instanceID, 202, 'running'));
  });

  test('a start that took all of the time needs no place', async () => {
    webhookAnswers.start = async ({ instanceID }) => {
      now += WAIT_MS;
      return { instanceID, status: 'started' };
    };
    const { status, text } = await post();
    expect([status, JSON.parse(text).status]).toEqual([202, 'queued']);
    expect(subjects('webhook.wait')).toEqual([]);
  });
});

test('an agent too old to answer holds its caller, however it has ended', async () => {
  const { instanceID, answer } = await waiting();
  const state: AwaitedState = { instanceID, status: 'error', outcome: 'ERROR', mute: true };
  states.set(instanceID, state);
  await tell(instanceID, state);
  const looks = () => subjects('awaited').filter(({ instanceIDs }) => instanceIDs.includes(instanceID)).length;
  await waitUntil('it is looked at again', () => looks() > 1);
  await tell(instanceID);
  expect((await answer).text).toBe(json);
});

describe('nobody waits', () => {
  test.each<[string, Partial<StartReply> & Pick<StartReply, 'status'>, number, string | undefined]>([
    ['a queued start', { status: 'queued' }, 202, 'queued'],
    ['a replay', { status: 'started', replayed: true, instanceID: 'first' }, 200, undefined],
  ])('for %s', async (_, reply, code, told) => {
    webhookAnswers.start = async ({ instanceID }) => ({ instanceID, ...reply });
    const { status, text, instance } = await post();
    expect([status, JSON.parse(text).status, instance]).toEqual([code, told, JSON.parse(text).instanceID]);
    expect(subjects('webhook.wait')).toEqual([]);
  });

  test('for a start that is refused', async () => {
    webhookAnswers.start = async () => {
      throw new ApiError('AGENT_OFFLINE', 'why');
    };
    expect((await post()).status).toBe(503);
    expect(subjects('webhook.wait')).toEqual([]);
  });

  test('without a place: 200 as in Imediata', async () => {
    webhookAnswers.wait = async () => ({ granted: 0 });
    const { status, text, instance } = await post();
    const { instanceID } = subjects('webhook.start')[0];
    expect([status, text, instance]).toEqual([200, word(instanceID, 'started'), instanceID]);
    expect(kept()).toBeUndefined();
  });

  test('while the webhook service is away; a place that it gave all the same goes back', async () => {
    webhookAnswers.wait = async () => {
      throw new ApiError('UNAVAILABLE');
    };
    const { status, text, instance } = await post();
    expect([status, text]).toEqual([200, word(String(instance), 'started')]);
    await givenBack();
  });

  test('on a replica that holds as many callers as it may', async () => {
    const small = await createGateway({ ...world.config, MOST_WAITING_CALLS: 1 });
    try {
      const { instanceID, answer } = await waiting(small.url);
      const { status, text, instance } = await post(small.url);
      expect([status, text]).toEqual([200, word(String(instance), 'started')]);
      expect(subjects('webhook.start')[1]).toMatchObject({ awaited: true });
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

describe('an answer that comes before the place is decided', () => {
  const decided = (granted: number) => {
    webhookAnswers.wait = async () => {
      await tell(subjects('webhook.start')[0].instanceID);
      return { granted };
    };
    return post();
  };

  test('is told with it', async () => {
    expect(await decided(1)).toMatchObject({ status: 201, text: json });
  });

  test('is not told without it', async () => {
    const { status, text, instance } = await decided(0);
    expect([status, text]).toEqual([200, word(String(instance), 'started')]);
  });

  test('nor lost when it was quicker than the start', async () => {
    webhookAnswers.start = async ({ instanceID }) => {
      await tell(instanceID);
      return { instanceID, status: 'started' };
    };
    expect(await post()).toMatchObject({ status: 201, text: json });
  });
});

describe('a caller who hangs up', () => {
  const metrics = async () => (await fetch(`${world.gateway.url}/metrics`)).text();
  const count = async () =>
    /gateway_requests_total\{[^}]*hooks[^}]*aborted[^}]*\} (\d+)/.exec(await metrics())?.[1] ?? '0';
  let before = '0';
  beforeEach(async () => {
    before = await count();
  });
  const aborted = () => waitUntil('the gateway has noticed', async () => (await count()) !== before);

  /** A call on a connection of its own. */
  const hangable = () => {
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

  test('waits no more, and gives the place back', async () => {
    const sent = hangable();
    await waitUntil('it waits', () => subjects('webhook.wait')[0]);
    sent.destroy();
    expect(await givenBack()).toBe(true);
  });

  test('before the place is decided leaves none behind', async () => {
    let decide = () => {};
    const decision = new Promise<void>((resolve) => {
      decide = resolve;
    });
    webhookAnswers.wait = async () => {
      await decision;
      return { granted: 1 };
    };
    const sent = hangable();
    await waitUntil('it waits', () => subjects('webhook.wait')[0]);
    sent.destroy();
    await aborted();
    decide();
    expect(await givenBack()).toBe(true);
  });

  test('before the start is accepted asks for no place', async () => {
    let accept = () => {};
    const acceptance = new Promise<void>((resolve) => {
      accept = resolve;
    });
    webhookAnswers.start = async ({ instanceID }) => {
      await acceptance;
      return { instanceID, status: 'started' };
    };
    const sent = hangable();
    await waitUntil('it starts', () => subjects('webhook.start')[0]);
    sent.destroy();
    await aborted();
    accept();
    await waitUntil('nobody waits', async () => /gateway_waiting_calls\{[^}]*\} 0/.test(await metrics()));
    expect(subjects('webhook.wait')).toEqual([]);
  });
});

describe('a gateway that closes', () => {
  test('waits for those who wait, and tells them how far their process is before its time is up', async () => {
    const closing = await createGateway({ ...world.config, CLOSE_TIMEOUT_MS: WAIT_MS / 2 }, () => now);
    const [told, left] = [await waiting(closing.url), await waiting(closing.url)];
    states.set(left.instanceID, { instanceID: left.instanceID, status: 'running', outcome: null });
    const closed = closing.close();
    rpc.notify(notifications.answered, { instanceID: told.instanceID, state: answered(told.instanceID) });
    expect((await told.answer).text).toBe(json);
    // Time goes on, but not to the end of the wait.
    const end = now + WAIT_MS;
    const time = setInterval(() => (now = Math.min(now + 500, end - 1)), 1);
    const answer = await left.answer.finally(() => clearInterval(time));
    expect(answer).toEqual(toldWord(left.instanceID, 202, 'running'));
    await closed;
    expect(kept()).toBe(0);
  });

  test('does not wait for anything when nobody waits', async () => {
    const closing = await createGateway({ ...world.config, CLOSE_TIMEOUT_MS: 600_000 });
    const { instanceID, answer } = await waiting(closing.url);
    rpc.notify(notifications.answered, { instanceID, state: answered(instanceID) });
    expect((await answer).status).toBe(201);
    await closing.close();
  });
});
