import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { HeldAnswers } from './held-answers';

/** HeldAnswers whose pauses the test ends, and these pauses with their milliseconds. */
function controlledAnswers() {
  const pauses: { milliseconds: number; end: () => void }[] = [];
  const answers = new HeldAnswers(
    (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        pauses.push({ milliseconds, end: () => resolve(undefined) });
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  );
  return { answers, pauses };
}

const newResponse = () => new ServerResponse(new IncomingMessage(new Socket()));

test('holds the answers of a tenant for longer, the more of them it holds, and at most for a second', async () => {
  const { answers, pauses } = controlledAnswers();
  const held = Array.from({ length: 20 }, () => answers.hold('a', newResponse()));
  expect(pauses.map(({ milliseconds }) => milliseconds).slice(0, 3)).toEqual([250, 300, 350]);
  expect(pauses.at(-1)?.milliseconds).toBe(1_000);
  for (const { end } of pauses) end();
  await Promise.all(held);
});

test('answers beyond twenty of a tenant at once and closes their connections; other tenants are held as before', async () => {
  const { answers, pauses } = controlledAnswers();
  for (let n = 0; n < 20; n += 1) void answers.hold('a', newResponse());
  const beyond = newResponse();
  await answers.hold('a', beyond);
  expect(beyond.getHeader('Connection')).toBe('close');
  const other = newResponse();
  void answers.hold('b', other);
  expect([pauses.length, other.hasHeader('Connection')]).toEqual([21, false]);
  pauses[0]?.end();
  await new Promise(setImmediate);
  void answers.hold('a', newResponse());
  expect(pauses).toHaveLength(22);
});

test('releases the answer of a client that has disconnected', async () => {
  const { answers, pauses } = controlledAnswers();
  const response = newResponse();
  const held = answers.hold('a', response);
  response.emit('close');
  await held;
  void answers.hold('a', newResponse());
  expect(pauses.map(({ milliseconds }) => milliseconds)).toEqual([250, 250]);
});
