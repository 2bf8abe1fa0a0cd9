import { notifications, type AwaitedState, type StartReply } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { LargeAnswers } from '@batuta/http';
import { waitUntil } from '../../../../../test/support/wait-until';
import { createGateway } from '../../app';
import { executionReplies } from '../../../test/fake-execution';
import { webhookReplies } from '../../../test/fake-webhook';
import {
  ANSWER_TEXT,
  answeredState,
  requestsTo,
  statusReply,
  statusBody,
  WAIT_MS,
  WaitingCalls,
} from '../../../test/waiting-calls';

const calls = new WaitingCalls();
beforeAll(() => calls.open());
beforeEach(() => calls.reset());
afterAll(() => calls.close());

test('a call in the mode Aguardar marks its start as awaited and requests a permit of the process', async () => {
  const { instanceID, answer } = await calls.start();
  expect(requestsTo('webhook.start')).toEqual([expect.objectContaining({ instanceID, awaited: true })]);
  const request = await waitUntil('a permit is requested', () => requestsTo('webhook.wait')[0]);
  expect(request).toEqual({
    holder: expect.any(String),
    turn: expect.any(Number),
    processID: calls.processID,
    want: 1,
  });
  calls.rpc.notify(notifications.answered, { instanceID, state: answeredState(instanceID) });
  await answer;
});

test('the response to an answered call has the code and the unparsed JSON of the process, and the permit is returned', async () => {
  const { instanceID, answer } = await calls.start();
  calls.rpc.notify(notifications.answered, { instanceID, state: answeredState(instanceID) });
  expect(await answer).toEqual({ status: 201, text: ANSWER_TEXT, instance: instanceID });
  await calls.untilPermitReturned();
});

test('a caller gets the response of an accepted start while its company leaves too much unread, with the id of the instance', async () => {
  const tryReserve = jest.spyOn(LargeAnswers.prototype, 'tryReserve').mockReturnValue('tenant');
  const { instanceID, answer } = await calls.start();
  calls.rpc.notify(notifications.answered, { instanceID, state: answeredState(instanceID) });
  const text = JSON.stringify({ instanceID, status: 'started' });
  expect(await answer).toEqual({ status: 200, text, instance: instanceID });
  expect(tryReserve.mock.calls.map(([, , bytes]) => bytes)).toEqual([Buffer.byteLength(ANSWER_TEXT)]);
  tryReserve.mockRestore();
  await calls.untilPermitReturned();
});

test('the response to an answered call is JSON and has no header set by the process', async () => {
  const { instanceID } = await calls.start();
  const response = fetch(`${calls.world.gateway.url}/v1/hooks/${calls.processID}/${calls.token}`, { method: 'POST' });
  const { instanceID: other } = await waitUntil('both starts are requested', () => requestsTo('webhook.start')[1]);
  for (const id of [instanceID, other])
    calls.rpc.notify(notifications.answered, {
      instanceID: id,
      state: { ...answeredState(id), answer: { valid: true, code: 401, body: '5' } },
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
  const { instanceID, answer } = await calls.start();
  const large = {
    ...answeredState(instanceID),
    answer: { valid: true as const, code: 200, body: `"${'x'.repeat(262_142)}"` },
  };
  calls.instanceStates.set(instanceID, large);
  calls.rpc.notify(notifications.answered, { instanceID });
  expect((await answer).text).toBe(large.answer.body);
});

test('a poll returns the answer when its notification was lost', async () => {
  const { instanceID, answer } = await calls.start();
  calls.instanceStates.set(instanceID, { instanceID, status: 'success', outcome: 'FINALIZED' });
  expect(await answer).toEqual(statusReply(instanceID, 202, 'FINALIZED'));
});

test('one poll of execution asks for all callers of a replica', async () => {
  const started = [await calls.start(), await calls.start(), await calls.start(calls.second.url)];
  const ids = started.map(({ instanceID }) => instanceID);
  await waitUntil('one poll names both instances of the first replica', () =>
    requestsTo('awaited').some(({ instanceIDs }) => instanceIDs.includes(ids[0]) && instanceIDs.includes(ids[1])),
  );
  for (const { instanceIDs } of requestsTo('awaited')) {
    expect(instanceIDs.includes(ids[2]) && instanceIDs.length > 1).toBe(false);
  }
  for (const id of ids) calls.rpc.notify(notifications.answered, { instanceID: id, state: answeredState(id) });
  for (const { answer } of started) expect((await answer).status).toBe(201);
});

test('large answers that do not fit into one reply arrive with the next poll', async () => {
  executionReplies.awaited = async ({ instanceIDs }) => ({
    states: instanceIDs.flatMap((id) => calls.instanceStates.get(id) ?? []).slice(0, 1),
  });
  const started = [await calls.start(), await calls.start(), await calls.start()];
  for (const { instanceID } of started) calls.instanceStates.set(instanceID, answeredState(instanceID));
  for (const { instanceID } of started) calls.rpc.notify(notifications.answered, { instanceID });
  for (const { answer } of started) expect((await answer).text).toBe(ANSWER_TEXT);
});

test('every replica responds to its own callers', async () => {
  const [one, other] = [await calls.start(), await calls.start(calls.second.url)];
  for (const { instanceID, answer } of [other, one]) {
    calls.rpc.notify(notifications.answered, { instanceID, state: answeredState(instanceID) });
    expect(await answer).toEqual({ status: 201, text: ANSWER_TEXT, instance: instanceID });
  }
});

describe('when the wait limit, counted from the arrival of the call, is over', () => {
  /** Starts a call and waits until its permit is requested. */
  const startUntilPermitRequest = async () => {
    const call = await calls.start();
    await waitUntil('a permit is requested', () => requestsTo('webhook.wait')[0]);
    return call;
  };

  test.each([
    ['running', 'running'],
    ['queued', 'queued'],
    ['unknown', 'queued'],
  ] as const)('an instance that is %s at the end of the wait limit gives 202 %s', async (status, shown) => {
    const { instanceID, answer } = await startUntilPermitRequest();
    calls.instanceStates.set(instanceID, { instanceID, status, outcome: null });
    calls.now += WAIT_MS;
    expect(await answer).toEqual(statusReply(instanceID, 202, shown));
    await calls.untilPermitReturned();
  });

  test('a last poll at the end of the wait limit returns an answer whose notification was lost', async () => {
    const over = calls.now + WAIT_MS;
    executionReplies.awaited = async ({ instanceIDs }) => ({
      states: calls.now < over ? [] : instanceIDs.map(answeredState),
    });
    const { answer } = await startUntilPermitRequest();
    calls.now = over;
    expect((await answer).text).toBe(ANSWER_TEXT);
  });

  test('the response at the end of the wait limit has the last known status when execution does not reply to the last poll', async () => {
    executionReplies.awaited = async () => {
      throw new ApiError('UNAVAILABLE');
    };
    const { instanceID, answer } = await startUntilPermitRequest();
    await calls.notify(instanceID, { instanceID, status: 'running', outcome: null });
    // The second poll begins after the reply to the first, which arrives after the notification.
    const polls = requestsTo('awaited').length;
    await waitUntil('two more polls', () => requestsTo('awaited').length > polls + 1);
    calls.now += WAIT_MS;
    expect(await answer).toEqual(statusReply(instanceID, 202, 'running'));
  });

  test('a start that used up the whole wait limit requests no permit', async () => {
    webhookReplies.start = async ({ instanceID }) => {
      calls.now += WAIT_MS;
      return { instanceID, status: 'started' };
    };
    const { status, text } = await calls.post();
    expect([status, JSON.parse(text).status]).toEqual([202, 'queued']);
    expect(requestsTo('webhook.wait')).toEqual([]);
  });
});

test('a caller whose agent is too old to answer waits until the time limit, although the instance has ended', async () => {
  const { instanceID, answer } = await calls.start();
  const state: AwaitedState = { instanceID, status: 'error', outcome: 'ERROR', mute: true };
  calls.instanceStates.set(instanceID, state);
  await calls.notify(instanceID, state);
  const polls = () => requestsTo('awaited').filter(({ instanceIDs }) => instanceIDs.includes(instanceID)).length;
  await waitUntil('the instance is polled twice', () => polls() > 1);
  await calls.notify(instanceID);
  expect((await answer).text).toBe(ANSWER_TEXT);
});

describe('no wait', () => {
  test.each<[string, Partial<StartReply> & Pick<StartReply, 'status'>, number, string | undefined]>([
    ['was queued', { status: 'queued' }, 202, 'queued'],
    ['is a replay', { status: 'started', replayed: true, instanceID: 'first' }, 200, undefined],
  ])('a call does not wait when its start %s', async (_, reply, code, shown) => {
    webhookReplies.start = async ({ instanceID }) => ({ instanceID, ...reply });
    const { status, text, instance } = await calls.post();
    expect([status, JSON.parse(text).status, instance]).toEqual([code, shown, JSON.parse(text).instanceID]);
    expect(requestsTo('webhook.wait')).toEqual([]);
  });

  test('a call does not wait when its start is refused', async () => {
    webhookReplies.start = async () => {
      throw new ApiError('AGENT_OFFLINE', 'why');
    };
    expect((await calls.post()).status).toBe(503);
    expect(requestsTo('webhook.wait')).toEqual([]);
  });

  test('a call does not wait when the process has no permit left: 200 as in the mode Imediata', async () => {
    webhookReplies.acquirePermits = async () => ({ granted: 0 });
    const { status, text, instance } = await calls.post();
    const { instanceID } = requestsTo('webhook.start')[0];
    expect([status, text, instance]).toEqual([200, statusBody(instanceID, 'started'), instanceID]);
    expect(calls.findRenewedCount()).toBeUndefined();
  });

  test('a call does not wait when the webhook service does not reply, and a permit that a lost reply leased is returned', async () => {
    webhookReplies.acquirePermits = async () => {
      throw new ApiError('UNAVAILABLE');
    };
    const { status, text, instance } = await calls.post();
    expect([status, text]).toEqual([200, statusBody(String(instance), 'started')]);
    await calls.untilPermitReturned();
  });

  test('a call is answered at the end of its wait limit while the webhook service says nothing about its permit', async () => {
    const { world } = calls;
    calls.token = (await world.registry.addOrigin(calls.processID, { responseMode: 'Aguardar', waitSeconds: 1 })).prod;
    const gatewayWithLongReads = await createGateway({ ...world.config, READ_TIMEOUT_MS: 30_000 });
    const { promise: answered, resolve: endSilence } = Promise.withResolvers<void>();
    webhookReplies.acquirePermits = async () => {
      await answered;
      return { granted: 1 };
    };
    try {
      const { instanceID, answer } = await calls.start(gatewayWithLongReads.url);
      expect(await answer).toEqual(statusReply(instanceID, 202, 'queued'));
      endSilence();
      expect(await calls.untilPermitReturned()).toBe(true);
    } finally {
      endSilence();
      await gatewayWithLongReads.close();
    }
  });

  test('a call does not wait when the replica already has the maximum number of waiting callers', async () => {
    const small = await createGateway({ ...calls.world.config, MOST_WAITING_CALLS: 1 });
    try {
      const { instanceID, answer } = await calls.start(small.url);
      const { status, text, instance } = await calls.post(small.url);
      expect([status, text]).toEqual([200, statusBody(String(instance), 'started')]);
      expect(requestsTo('webhook.start')[1]).toMatchObject({ awaited: true });
      calls.rpc.notify(notifications.answered, { instanceID, state: answeredState(instanceID) });
      expect((await answer).status).toBe(201);
      const again = await calls.start(small.url);
      calls.rpc.notify(notifications.answered, {
        instanceID: again.instanceID,
        state: answeredState(again.instanceID),
      });
      expect((await again.answer).status).toBe(201);
    } finally {
      await small.close();
    }
  });
});

describe('early answers', () => {
  const answerBeforeReply = (granted: number) => {
    webhookReplies.acquirePermits = async () => {
      await calls.notify(requestsTo('webhook.start')[0].instanceID);
      return { granted };
    };
    return calls.post();
  };

  test('an answer that arrives before the reply to the permit request is returned when a permit is leased', async () => {
    expect(await answerBeforeReply(1)).toMatchObject({ status: 201, text: ANSWER_TEXT });
  });

  test('an answer that arrives before the reply to the permit request is not returned when no permit is leased', async () => {
    const { status, text, instance } = await answerBeforeReply(0);
    expect([status, text]).toEqual([200, statusBody(String(instance), 'started')]);
  });

  test('an answer that arrives before the reply to the permit request is returned although it also arrives before the reply to the start', async () => {
    webhookReplies.start = async ({ instanceID }) => {
      await calls.notify(instanceID);
      return { instanceID, status: 'started' };
    };
    expect(await calls.post()).toMatchObject({ status: 201, text: ANSWER_TEXT });
  });
});
