import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { keyOfSecret, newEventSecret } from '../event-subscriptions/event-secret';
import { messageOfEvent, signedHeaders } from './event-message';

const run = promisify(execFile);
const DOCUMENT = join(__dirname, '../../../../docs/events.md');
const SECRET = newEventSecret();
const MESSAGE = messageOfEvent({
  eventID: 'i-1',
  event: 'instance.success',
  createdAt: new Date(),
  data: '{"processName":"Pedidos “ágeis” 💡"}',
});

/** Calls `verify` of the example for Node in docs/events.md with a message; returns the type of the event, or the error. */
async function verifyAsDocumented(headers: Record<string, string>, body: string): Promise<string> {
  const [, example = ''] = /```js\n([\s\S]*?)```/.exec(await readFile(DOCUMENT, 'utf8')) ?? [];
  const call = `const [secret, headers, body] = ${JSON.stringify([SECRET, headers, body])};
    let result;
    try { result = verify(secret, headers, Buffer.from(body)).type; } catch (error) { result = error.message; }
    console.log(result);`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', `${example}\n${call}`]);
  return stdout.trim();
}

const createSignedHeaders = (secret: string, now = new Date()) => signedHeaders(MESSAGE, [keyOfSecret(secret)], now);

test('the example for Node accepts a message, also during a rotation', async () => {
  expect(await verifyAsDocumented(createSignedHeaders(SECRET), MESSAGE.body)).toBe('instance.success');
  const keys = [newEventSecret(), SECRET].map(keyOfSecret);
  expect(await verifyAsDocumented(signedHeaders(MESSAGE, keys, new Date()), MESSAGE.body)).toBe('instance.success');
});

test('the example for Node refuses another secret, a changed body and an old message', async () => {
  expect(await verifyAsDocumented(createSignedHeaders(newEventSecret()), MESSAGE.body)).toBe('The signature is wrong');
  expect(await verifyAsDocumented(createSignedHeaders(SECRET), `${MESSAGE.body} `)).toBe('The signature is wrong');
  const old = new Date(Date.now() - 400_000);
  expect(await verifyAsDocumented(createSignedHeaders(SECRET, old), MESSAGE.body)).toBe(
    'The timestamp is too far from now',
  );
});
