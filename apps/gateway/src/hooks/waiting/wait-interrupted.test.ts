import { notifications } from '@batuta/contracts';
import { request as httpRequest } from 'node:http';
import { waitUntil } from '../../../../../test/support/wait-until';
import { createGateway } from '../../app';
import { webhookReplies } from '../../../test/fake-webhook';
import {
  ANSWER_TEXT,
  answeredState,
  requestsTo,
  statusReply,
  WAIT_MS,
  WaitingCalls,
} from '../../../test/waiting-calls';

const calls = new WaitingCalls();
beforeAll(() => calls.open());
beforeEach(() => calls.reset());
afterAll(() => calls.close());

describe('disconnects', () => {
  const readMetrics = async () => (await fetch(`${calls.world.gateway.url}/metrics`)).text();
  const readAbortedCount = async () =>
    /gateway_requests_total\{[^}]*hooks[^}]*aborted[^}]*\} (\d+)/.exec(await readMetrics())?.[1] ?? '0';
  let before = '0';
  beforeEach(async () => {
    before = await readAbortedCount();
  });
  const untilAborted = () =>
    waitUntil('the gateway counts the aborted request', async () => (await readAbortedCount()) !== before);

  /** Makes a call over its own connection, which the test can abort. */
  const startCancellableCall = () => {
    const { hostname, port } = new URL(calls.world.gateway.url);
    const sent = httpRequest({
      hostname,
      port,
      method: 'POST',
      path: `/v1/hooks/${calls.processID}/${calls.token}`,
      agent: false,
    });
    sent.on('error', () => {});
    sent.end('{}');
    return sent;
  };

  test('a caller that disconnects while it waits returns its permit', async () => {
    const sent = startCancellableCall();
    await waitUntil('a permit is requested', () => requestsTo('webhook.wait')[0]);
    sent.destroy();
    expect(await calls.untilPermitReturned()).toBe(true);
    expect(await readMetrics()).toMatch(/gateway_waits_total\{[^}]*outcome="left"/);
    // Otherwise a later test would wait for this request instead of its own.
    await untilAborted();
  });

  test('a caller that disconnects before the reply to the permit request returns the leased permit', async () => {
    let decide = () => {};
    const decision = new Promise<void>((resolve) => {
      decide = resolve;
    });
    webhookReplies.acquirePermits = async () => {
      await decision;
      return { granted: 1 };
    };
    const sent = startCancellableCall();
    await waitUntil('a permit is requested', () => requestsTo('webhook.wait')[0]);
    sent.destroy();
    await untilAborted();
    decide();
    expect(await calls.untilPermitReturned()).toBe(true);
  });

  test('a caller that disconnects before the start is accepted requests no permit', async () => {
    let accept = () => {};
    const acceptance = new Promise<void>((resolve) => {
      accept = resolve;
    });
    webhookReplies.start = async ({ instanceID }) => {
      await acceptance;
      return { instanceID, status: 'started' };
    };
    const sent = startCancellableCall();
    await waitUntil('the start is requested', () => requestsTo('webhook.start')[0]);
    sent.destroy();
    await untilAborted();
    accept();
    await waitUntil('no caller waits', async () => /gateway_waiting_calls\{[^}]*\} 0/.test(await readMetrics()));
    expect(requestsTo('webhook.wait')).toEqual([]);
  });
});

describe('shutdown', () => {
  test('a gateway that shuts down lets callers wait until shortly before CLOSE_TIMEOUT_MS and then responds with the last known status', async () => {
    const closing = await createGateway({ ...calls.world.config, CLOSE_TIMEOUT_MS: WAIT_MS / 2 }, () => calls.now);
    const [answeredCall, openCall] = [await calls.start(closing.url), await calls.start(closing.url)];
    calls.instanceStates.set(openCall.instanceID, {
      instanceID: openCall.instanceID,
      status: 'running',
      outcome: null,
    });
    const closed = closing.close();
    calls.rpc.notify(notifications.answered, {
      instanceID: answeredCall.instanceID,
      state: answeredState(answeredCall.instanceID),
    });
    expect((await answeredCall.answer).text).toBe(ANSWER_TEXT);
    // The clock moves, but not to the end of the wait limit.
    const end = calls.now + WAIT_MS;
    const time = setInterval(() => (calls.now = Math.min(calls.now + 500, end - 1)), 1);
    const answer = await openCall.answer.finally(() => clearInterval(time));
    expect(answer).toEqual(statusReply(openCall.instanceID, 202, 'running'));
    await closed;
    expect(calls.findRenewedCount()).toBe(0);
  });

  test('a gateway that shuts down closes at once when no caller waits', async () => {
    const closing = await createGateway({ ...calls.world.config, CLOSE_TIMEOUT_MS: 600_000 });
    const { instanceID, answer } = await calls.start(closing.url);
    calls.rpc.notify(notifications.answered, { instanceID, state: answeredState(instanceID) });
    expect((await answer).status).toBe(201);
    await closing.close();
  });
});
