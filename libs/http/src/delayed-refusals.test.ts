import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { DelayedRefusals } from './delayed-refusals';

/** DelayedRefusals whose pauses the test ends, and these pauses with their milliseconds. */
function controlledRefusals() {
  const pauses: { milliseconds: number; end: () => void }[] = [];
  const refusals = new DelayedRefusals(
    (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        pauses.push({ milliseconds, end: () => resolve(undefined) });
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  );
  return { refusals, pauses };
}

const newResponse = () => new ServerResponse(new IncomingMessage(new Socket()));

test('a refusal is delayed for longer, the more refusals of its tenant are being delayed, and at most for a second', async () => {
  const { refusals, pauses } = controlledRefusals();
  const delayed = Array.from({ length: 20 }, () => refusals.delay('a', newResponse()));
  expect(pauses.map(({ milliseconds }) => milliseconds).slice(0, 3)).toEqual([250, 300, 350]);
  expect(pauses.at(-1)?.milliseconds).toBe(1_000);
  for (const { end } of pauses) end();
  await Promise.all(delayed);
});

test('a refusal beyond twenty delayed ones of its tenant is sent at once and its connection closed, and refusals of other tenants are delayed as before', async () => {
  const { refusals, pauses } = controlledRefusals();
  for (let n = 0; n < 20; n += 1) void refusals.delay('a', newResponse());
  const beyond = newResponse();
  await refusals.delay('a', beyond);
  expect(beyond.getHeader('Connection')).toBe('close');
  const other = newResponse();
  void refusals.delay('b', other);
  expect([pauses.length, other.hasHeader('Connection')]).toEqual([21, false]);
  pauses[0]?.end();
  await new Promise(setImmediate);
  void refusals.delay('a', newResponse());
  expect(pauses).toHaveLength(22);
});

test('the refusal of a client that disconnects is delayed no longer', async () => {
  const { refusals, pauses } = controlledRefusals();
  const response = newResponse();
  const delayed = refusals.delay('a', response);
  response.emit('close');
  await delayed;
  void refusals.delay('a', newResponse());
  expect(pauses.map(({ milliseconds }) => milliseconds)).toEqual([250, 250]);
});
