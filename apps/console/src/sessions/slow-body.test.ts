import { once } from 'node:events';
import { connect } from 'node:net';
import { waitUntil } from '../../../../test/support/wait-until';
import { createWorld, listOf, type ConsoleWorld, type TestPerson } from '../../test/world';
import { BodyReader } from '../http/body-reader';
import { SessionLookups } from './session-lookups';

let world: ConsoleWorld;
let clockOffset: number;
let clock: jest.SpyInstance;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

beforeEach(() => {
  clockOffset = 0;
  const now = performance.now.bind(performance);
  clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + clockOffset);
});

afterEach(() => clock.mockRestore());

test.each([
  ['its session ended', 'DELETE FROM login_session WHERE account_id = ?', 'INVALID_CREDENTIAL'],
  ['its account was blocked', 'UPDATE account SET blocked = 1 WHERE account_id = ?', 'OWNER_INACTIVE'],
  ['its password became a one-time one', 'UPDATE login_session SET one_time = 1 WHERE account_id = ?', 'FORBIDDEN'],
])('a call does nothing when %s while the body arrived', async (_, sql, code) => {
  const ana = await world.addPerson();
  const reading = jest.spyOn(BodyReader.prototype, 'read');
  try {
    const call = openCall(ana, '{"processName":"Orders"}');
    await waitUntil('the console reads the body', () => reading.mock.calls.length > 0);
    await world.store.write(sql, [ana.id]);
    clockOffset = 10_000;
    expect((await call.end()).error).toMatchObject({ code });
  } finally {
    reading.mockRestore();
  }
  expect(await world.store.rows('SELECT 1 FROM process WHERE account_id = ?', [ana.id])).toEqual([]);
});

test('a call whose body was slow is carried out while the session is valid', async () => {
  const ana = await world.addPerson();
  const reading = jest.spyOn(BodyReader.prototype, 'read');
  try {
    const call = openCall(ana, '{"processName":"Orders"}');
    await waitUntil('the console reads the body', () => reading.mock.calls.length > 0);
    clockOffset = 10_000;
    expect(await call.end()).toHaveProperty('processID');
  } finally {
    reading.mockRestore();
  }
  expect(listOf(await ana.must('GET', '/processes'), 'processes')).toHaveLength(1);
});

test('the time in which the database answers does not count as the time of a body', async () => {
  const ana = await world.addPerson();
  const callerOfToken: SessionLookups['callerOfToken'] = Reflect.get(SessionLookups.prototype, 'callerOfToken');
  const lookups = jest.spyOn(SessionLookups.prototype, 'callerOfToken').mockImplementation(async function (
    this: SessionLookups,
    token,
  ) {
    const caller = await callerOfToken.call(this, token);
    clockOffset += 10_000;
    return caller;
  });
  try {
    await ana.must('POST', '/processes', { processName: 'Orders' });
    expect(lookups).toHaveBeenCalledTimes(1);
  } finally {
    lookups.mockRestore();
  }
});

/** Sends a request for a new process without the last byte of its body; `end` sends that and returns the body of the answer. */
function openCall({ token }: TestPerson, body: string): { end: () => Promise<Record<string, unknown>> } {
  const { hostname, port } = new URL(world.url);
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  const head = [
    'Host: x',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    `Authorization: Bearer ${token}`,
  ];
  socket.write(`POST /manage/v1/processes HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${body.slice(0, -1)}`);
  return {
    async end() {
      socket.write(body.slice(-1));
      const [answer] = await once(socket, 'data');
      socket.destroy();
      return JSON.parse(String(answer).split('\r\n\r\n')[1] ?? '');
    },
  };
}
