import { connect, type NatsConnection } from '@nats-io/transport-node';
import { Logger } from '@nestjs/common';
import { startTestNats, type TestNats } from '../../../test/support/servers';
import { StoppingNode } from '../test/stopping-node';
import { connectionOptions } from './connection';
import { Subscriptions } from './subscriptions';

const SUBJECT = 'test.word';

let nats: TestNats;
let connections: [NatsConnection, NatsConnection, NatsConnection];
let subscriptions: Subscriptions;
/** The numbers of the connections that have delivered a message to the subscription. */
let deliveredBy: number[];
let unsubscribe: () => void;

beforeAll(async () => {
  nats = await startTestNats();
});
afterAll(() => nats.stop());

beforeEach(async () => {
  const open = () => connect(connectionOptions(nats.url, 'test'));
  connections = [await open(), await open(), await open()];
  deliveredBy = [];
  subscriptions = new Subscriptions(connections[0]);
  unsubscribe = subscriptions.add(SUBJECT, {
    callback: (_error, _message, connection) => deliveredBy.push(connections.indexOf(connection)),
  });
});
afterEach(() => Promise.all(connections.map((connection) => connection.close())));

/** Publishes a message, and resolves when each connection has delivered it to its subscriptions. */
async function publish(): Promise<void> {
  await Promise.all(connections.map((connection) => connection.flush()));
  const [publisher] = connections;
  publisher.publish(SUBJECT);
  await publisher.flush();
  await Promise.all(connections.map((connection) => connection.flush()));
}

test('while a subscription moves both connections deliver its messages, and afterwards the new one does', async () => {
  const moved = subscriptions.moveTo(connections[1]);
  await publish();
  expect(new Set(deliveredBy)).toEqual(new Set([0, 1]));
  await moved;
  deliveredBy = [];
  await publish();
  expect(deliveredBy).toEqual([1]);
});

test('a subscription that ends while it moves receives nothing more from either connection', async () => {
  const moved = subscriptions.moveTo(connections[1]);
  unsubscribe();
  await publish();
  expect(deliveredBy).toEqual([]);
  await moved;
});

test('a subscription that moves again before its first move has ended is left only at the newest connection', async () => {
  await Promise.all([subscriptions.moveTo(connections[1]), subscriptions.moveTo(connections[2])]);
  await publish();
  expect(deliveredBy).toEqual([2]);
});

test('a drain ends when its connection closes meanwhile', async () => {
  const node = await StoppingNode.start(nats.url);
  node.isOpen = true;
  const url = new URL(nats.url);
  const connection = await connect(connectionOptions(`nats://${url.username}:${url.password}@${node.host}`, 'test'));
  const held = new Subscriptions(connection);
  held.add(SUBJECT, { callback: () => undefined });
  node.hold();
  const drained = held.drain();
  await connection.close();
  await expect(drained).resolves.toBeUndefined();
  await node.stop();
});

describe('failing message', () => {
  let logged: jest.SpyInstance;
  let now: number;

  beforeEach(() => {
    logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    now = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => jest.restoreAllMocks());

  test('a message whose handling fails is logged, and its connection still receives the next ones', async () => {
    subscriptions.add(SUBJECT, { callback: (_error, message) => message.json() });
    await publish();
    await publish();
    expect(deliveredBy).toEqual([0, 0]);
    expect(logged).toHaveBeenCalledWith(expect.stringMatching(/test\.word failed .*SyntaxError/));
  });

  test('further failures of messages to one subject are counted for a minute before the next line', async () => {
    subscriptions.add(SUBJECT, { callback: (_error, message) => message.json() });
    await publish();
    await publish();
    await publish();
    expect(logged).toHaveBeenCalledTimes(1);
    now += 60_000;
    await publish();
    expect(logged).toHaveBeenCalledTimes(2);
    expect(logged).toHaveBeenLastCalledWith(expect.stringContaining('failures since the last line: 3)'));
  });
});
