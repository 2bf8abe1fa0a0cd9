import { BatutaError, BatutaUnreachable } from './error';
import { pauseAfter, retry } from './retry';

const refusalResponse = (status: number, code: string, retryAfter?: number) =>
  new BatutaError({ status, code, message: 'm', retryAfter });

test.each<[string, unknown, number, number | undefined]>([
  ['no answer', new BatutaUnreachable(undefined), 1, 200],
  ['no answer, for the third time', new BatutaUnreachable(undefined), 3, 800],
  ['no answer, for the twentieth time', new BatutaUnreachable(undefined), 20, 5_000],
  ['ROUTER_ERROR', refusalResponse(502, 'ROUTER_ERROR'), 1, 200],
  ['UNAVAILABLE', refusalResponse(503, 'UNAVAILABLE'), 1, 200],
  ['UNAVAILABLE with a time', refusalResponse(503, 'UNAVAILABLE', 7), 1, 7_000],
  ['a proxy without a gateway', refusalResponse(502, 'UNREADABLE'), 1, 200],
  ['RATE_LIMITED', refusalResponse(429, 'RATE_LIMITED', 42), 1, 42_000],
  ['RATE_LIMITED without a time', refusalResponse(429, 'RATE_LIMITED'), 1, 1_000],
  ['AGENT_OFFLINE', refusalResponse(503, 'AGENT_OFFLINE'), 1, undefined],
  ['INVALID_MATRIX', refusalResponse(400, 'INVALID_MATRIX'), 1, undefined],
  ['INSUFFICIENT_CREDITS', refusalResponse(402, 'INSUFFICIENT_CREDITS'), 1, undefined],
  ['an unexpected error', new TypeError('x'), 1, undefined],
])('pauseAfter returns the pause after %s', (_, error, failures, pause) => {
  expect(pauseAfter(error, failures, 1)).toBe(pause);
});

test('jitter takes at most half of a pause', () => {
  expect(pauseAfter(new BatutaUnreachable(undefined), 1, 0)).toBe(100);
});

test('retry throws the last error when the next attempt would begin too late', async () => {
  let attempts = 0;
  const call = async () => {
    attempts += 1;
    throw refusalResponse(503, 'UNAVAILABLE');
  };
  await expect(retry(call, { within: 0 })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(attempts).toBe(1);
});

test('retry ends when the signal aborts', async () => {
  const stop = new AbortController();
  const call = async () => {
    stop.abort(new Error('enough'));
    throw refusalResponse(503, 'UNAVAILABLE');
  };
  await expect(retry(call, { within: 60_000, signal: stop.signal })).rejects.toThrow('enough');
});
