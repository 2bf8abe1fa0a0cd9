import { once } from 'node:events';
import type { INestMicroservice } from '@nestjs/common';
import type { NatsConnection } from '@nats-io/transport-node';
import { holdTimers } from '../../../test/support/held-timers';
import { startTestNats, type TestNats } from '../../../test/support/servers';
import { waitUntil } from '../../../test/support/wait-until';
import { slowHandlerEvents, startReplica, TEST_SUBJECTS } from '../test/replica';
import { StoppingNode } from '../test/stopping-node';
import { Rpc } from '.';
import { Subscriptions } from './subscriptions';

const LONG_TIME_LIMIT_OPTIONS = { timeout: 30_000 };
/** More than the buffers of a connection between the service and a node that does not read. */
const LARGE_REPLY_CHARACTERS = 7_500_000;

let nats: TestNats;
let caller: Rpc;
let nodes: [StoppingNode, StoppingNode, StoppingNode];
let service: INestMicroservice;
let moves: jest.SpyInstance<Promise<void>, [NatsConnection]>;

beforeAll(async () => {
  nats = await startTestNats();
  caller = await Rpc.connect(nats.url, 'caller');
});
afterAll(async () => {
  await caller.close();
  await nats.stop();
});

/** The service is connected to the first node; a move takes it to the next one, because the others refuse it. */
beforeEach(async () => {
  moves = jest.spyOn(Subscriptions.prototype, 'moveTo');
  const node = () => StoppingNode.start(nats.url);
  nodes = [await node(), await node(), await node()];
  nodes[0].isOpen = true;
  const url = new URL(nats.url);
  const hosts = nodes.map(({ host }) => host).join();
  service = await startReplica(`nats://${url.username}:${url.password}@${hosts}`, 'service');
});
afterEach(async () => {
  await service.close();
  await Promise.all(nodes.map((node) => node.stop()));
  moves.mockRestore();
});

/** Resolves when the service has begun to move; the result is the end of the move. */
async function move(from: StoppingNode, to: StoppingNode): Promise<{ moved: Promise<void> | undefined }> {
  const before = moves.mock.calls.length;
  to.isOpen = true;
  from.announceStop();
  await waitUntil('the service moves', () => moves.mock.calls.length > before);
  return { moved: moves.mock.results.at(-1)?.value };
}

/** Resolves when the caller has received the replies that the service now sends over the connection. */
async function allSentOver(connection: NatsConnection | undefined): Promise<void> {
  // Replies are sent at the end of the turn, before the first answer can arrive.
  await connection?.flush();
  await connection?.flush();
  await caller.ping();
}

async function callSlowly() {
  const received = once(slowHandlerEvents, 'received');
  const reply = caller.call(TEST_SUBJECTS.slow, { n: 7 }, LONG_TIME_LIMIT_OPTIONS);
  await received;
  return { reply };
}

test('a reply whose parts a service sends while it moves to another node arrives in order', async () => {
  const parts: number[] = [];
  const onPartial = ({ n }: { n: number }) => parts.push(n);
  const request = { to: 3, slowly: true } as const;
  // The service sends no pings: the node would hold them back, and the service closes a connection after several pings without a reply.
  const pings = holdTimers(1_000);
  try {
    const last = caller.call(TEST_SUBJECTS.count, request, { ...LONG_TIME_LIMIT_OPTIONS, onPartial });
    await waitUntil('the first part', () => parts.length === 1);
    nodes[0].hold();
    slowHandlerEvents.emit('answer');
    await move(nodes[0], nodes[1]);
    slowHandlerEvents.emit('answer');
    await allSentOver(moves.mock.calls[0]?.[0]);
    nodes[0].release();
    expect(await last).toEqual({ n: 3 });
    expect(parts).toEqual([1, 2]);
  } finally {
    pings.release();
  }
});

test('a service closes a left connection only when the requests that it delivered are answered', async () => {
  const left = service.unwrap<NatsConnection>();
  const { reply } = await callSlowly();
  const { moved } = await move(nodes[0], nodes[1]);
  await moved;
  await caller.call(TEST_SUBJECTS.double, { n: 1 }, LONG_TIME_LIMIT_OPTIONS);
  expect(left.isClosed()).toBe(false);
  slowHandlerEvents.emit('answer');
  expect(await reply).toEqual({ n: 7 });
  await left.closed();
});

test('a large last reply over a left connection arrives completely although the node receives it slowly', async () => {
  const received = once(slowHandlerEvents, 'received');
  const request = { text: 'x', times: LARGE_REPLY_CHARACTERS, slowly: true } as const;
  const reply = caller.call(TEST_SUBJECTS.repeat, request, LONG_TIME_LIMIT_OPTIONS);
  await received;
  const { moved } = await move(nodes[0], nodes[1]);
  await moved;
  // The service sends no pings: the node would hold them back, and the service closes a connection after several pings without a reply.
  const pings = holdTimers(1_000);
  try {
    nodes[0].hold();
    slowHandlerEvents.emit('answer');
    await caller.call(TEST_SUBJECTS.double, { n: 1 }, LONG_TIME_LIMIT_OPTIONS);
    nodes[0].release();
    expect((await reply).text).toHaveLength(LARGE_REPLY_CHARACTERS);
  } finally {
    pings.release();
  }
});

test('a request whose node closes the connection before the reply is answered over the next node', async () => {
  const left = service.unwrap<NatsConnection>();
  const { reply } = await callSlowly();
  await move(nodes[0], nodes[1]);
  const lost = waitForStatus(left, 'disconnect');
  nodes[0].disconnect();
  await lost;
  slowHandlerEvents.emit('answer');
  expect(await reply).toEqual({ n: 7 });
  await left.closed();
});

test('a service that stops closes all its connections, also those to nodes that it is leaving', async () => {
  const first = service.unwrap<NatsConnection>();
  const bound = holdTimers(2_000);
  try {
    void caller.call(TEST_SUBJECTS.never, { n: 1 }, LONG_TIME_LIMIT_OPTIONS).catch(() => undefined);
    await caller.call(TEST_SUBJECTS.double, { n: 1 }, LONG_TIME_LIMIT_OPTIONS);
    await move(nodes[0], nodes[1]);
    await move(nodes[1], nodes[2]);
    const closed = service.close();
    await waitUntil('the service drains', () =>
      jest.mocked(setTimeout).mock.calls.some(([, delay]) => delay === 2_000),
    );
    bound.fire();
    await closed;
  } finally {
    bound.release();
  }
  const connections = [first, ...moves.mock.calls.map(([connection]) => connection)];
  expect(connections.map((connection) => connection.isClosed())).toEqual([true, true, true]);
});

async function waitForStatus(connection: NatsConnection, type: string): Promise<void> {
  for await (const status of connection.status()) if (status.type === type) return;
}
