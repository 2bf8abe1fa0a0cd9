import { event } from '@batuta/contracts';
import { createLogger } from '@batuta/observability';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startShippedNats, type ShippedNats } from '../../../test/support/deployment/nats-access';
import { waitUntil } from '../../../test/support/wait-until';
import { startReplica } from '../test/replica';
import { Rpc } from './rpc';

const CONFIG = `
authorization { users: [ { user: limited, password: known, permissions: {
  publish: ["allowed.>"]
  subscribe: { allow: ["test.>"], deny: ["test.slow"] }
} } ] }
`;

let home: string;
let nats: ShippedNats;
let url: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'batuta-limited-nats-'));
  const file = join(home, 'nats.conf');
  await writeFile(file, CONFIG);
  nats = await startShippedNats(file, {});
  url = `nats://limited:known@127.0.0.1:${nats.port}`;
});
afterAll(async () => {
  await nats?.stop();
  await rm(home, { recursive: true });
});

test('a subject to which NATS lets a service send nothing is named in its log, once a minute although each message is refused', async () => {
  const lines: { level: number; msg: string }[] = [];
  const logger = createLogger('test', 'error', { write: (line) => void lines.push(JSON.parse(line)) });
  const client = await Rpc.connect(url, 'test', { logger });
  for (const subject of ['word.changed', 'word.changed.replica-1', 'allowed.word', 'last.of-all']) {
    client.notify(event(subject), {});
  }
  await waitUntil('the last refusal is logged', () => lines.some(({ msg }) => msg.includes('last.of-all')));
  expect(lines.map(({ msg }) => msg)).toEqual([
    "NATS refuses a message to word.changed: its nats.conf lacks this right of the service's user",
    "NATS refuses a message to last.of-all: its nats.conf lacks this right of the service's user",
  ]);
  await client.close();
});

test('a subject whose requests NATS does not deliver to a service is named in its log, once', async () => {
  const errors: unknown[] = [];
  const ignore = () => {};
  const replica = await startReplica(url, 'a', { log: ignore, warn: ignore, error: (text) => errors.push(text) });
  await waitUntil('the refusal is logged', () => errors.length > 0);
  await replica.close();
  expect(errors).toEqual([
    "NATS refuses the subscription to test.slow: its nats.conf lacks this right of the service's user",
  ]);
});
