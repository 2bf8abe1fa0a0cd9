import type { Reservation } from '@batuta/async';
import { once } from 'node:events';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { holdTimers } from '../../../../test/support/held-timers';
import { waitUntilTrue } from '../../test/until';
import { AgentMemory, memoryTenantOf } from './agent-memory';
import { AgentSocket } from './agent-socket';

const MEGABYTE = 1_048_576;

let server: WebSocketServer;
let memory: AgentMemory;

beforeEach(async () => {
  memory = new AgentMemory();
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
});

afterEach(async () => {
  for (const client of server.clients) client.terminate();
  await new Promise((resolve) => server.close(resolve));
});

/**
 * Both ends of an agent's connection; the router's end counts as welcomed unless the test says otherwise. `observed` has the number of frames that
 * the router's end has read, whether that end is closed and for which reason, and the code of the error frame that the agent has received.
 */
async function connectSocket({ tenant = 'c e', frameTimeLimitMs = 60_000, welcomed = true } = {}) {
  const accepted = new Promise<{ webSocket: WebSocket; connection: Duplex }>((resolve) =>
    server.once('connection', (webSocket, request) => resolve({ webSocket, connection: request.socket })),
  );
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no address');
  const agent = new WebSocket(`ws://127.0.0.1:${address.port}`);
  agent.on('error', () => {});
  const { webSocket, connection } = await accepted;
  const socket = new AgentSocket(webSocket, { connection, tenant, memory, frameTimeLimitMs });
  if (welcomed) socket.allowAllFrames();
  if (agent.readyState !== WebSocket.OPEN) await once(agent, 'open');
  const observed = { frames: 0, isClosed: false, closedFor: '', reason: '' };
  agent.on('message', (data: Buffer) => (observed.reason = String(JSON.parse(data.toString()).code)));
  socket.listen({
    onFrame: () => (observed.frames += 1),
    onClose: (reason) => Object.assign(observed, { isClosed: true, closedFor: reason }),
  });
  return { agent, socket, observed };
}

async function connectAll(count: number, options?: Parameters<typeof connectSocket>[0]) {
  const agents: Awaited<ReturnType<typeof connectSocket>>[] = [];
  while (agents.length < count) agents.push(await connectSocket(options));
  return agents;
}

/** Bytes of a text message of the given size, masked with zeros. */
function messageOfBytes(bytes: number): Buffer {
  const [head, tail] = ['{"type":"heartbeat","x":"', '"}'];
  const header = Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  header.writeUInt32BE(bytes, 6);
  return Buffer.concat([header, Buffer.from(head + 'x'.repeat(bytes - head.length - tail.length) + tail)]);
}

function writeRawBytes(agent: WebSocket, bytes: Buffer): void {
  const connection: unknown = Reflect.get(agent, '_socket');
  if (!(connection instanceof Socket)) throw new Error('The agent has no connection');
  connection.write(bytes);
}

test('the connection of an agent that requests frames and never reads them is terminated', async () => {
  const { agent, socket, observed } = await connectSocket();
  agent.pause();
  const text = 'x'.repeat(1_000_000);
  for (let sent = 0; sent < 100; sent += 1) socket.send({ type: 'error', code: 'UNAVAILABLE', message: text });
  expect(socket.bufferedBytes).toBeLessThan(36_000_000);
  expect(memory.isUnreadFull('c e')).toBe(true);
  expect(memory.isUnreadFull('c another')).toBe(false);
  await waitUntilTrue(() => observed.isClosed, 'the end of the connection');
  expect(memory.unread.usedBytes).toBe(0);
});

describe('assembly', () => {
  it('messages in assembly share the memory of their environment, and connections without room are paused and resumed in turn', async () => {
    const others = await connectSocket({ tenant: 'c other' });
    const agents = await connectAll(12);
    const text = messageOfBytes(3 * MEGABYTE);
    for (const { agent } of agents) writeRawBytes(agent, text.subarray(0, MEGABYTE));
    const paused = () => agents.filter(({ socket }) => socket.isPaused).length;
    await waitUntilTrue(() => paused() === 10, 'the pause of those that do not fit');
    expect(memory.frames.usedBytesOf('c e')).toBeLessThan(7 * MEGABYTE);
    writeRawBytes(others.agent, text);
    await waitUntilTrue(() => others.observed.frames === 1, 'the message of another environment');
    for (const { agent } of agents) writeRawBytes(agent, text.subarray(MEGABYTE));
    await waitUntilTrue(() => agents.every(({ observed }) => observed.frames === 1), 'all messages');
    expect([paused(), memory.frames.usedBytes]).toEqual([0, 0]);
  });

  it('messages in assembly end their connections when they are not complete in time, whether they were read or waited for memory', async () => {
    const agents = await connectAll(4, { frameTimeLimitMs: 300 });
    const idle = await connectSocket({ frameTimeLimitMs: 300 });
    for (const { agent } of agents) writeRawBytes(agent, messageOfBytes(5 * MEGABYTE).subarray(0, MEGABYTE));
    await waitUntilTrue(() => agents.every(({ observed }) => observed.reason !== ''), 'the end of the connections');
    expect(agents.map(({ observed }) => observed.reason)).toEqual(agents.map(() => 'TOO_MUCH_DATA'));
    expect(memory.frames.usedBytes).toBe(0);
    expect(idle.observed.isClosed).toBe(false);
  });

  it('messages in assembly have no time limit while the router has paused the connection for another reason', async () => {
    const frameTimeLimitMs = 59_999;
    const timeLimit = holdTimers(frameTimeLimitMs);
    try {
      const { agent, socket, observed } = await connectSocket({ frameTimeLimitMs });
      const text = messageOfBytes(MEGABYTE);
      writeRawBytes(agent, text.subarray(0, 1_000));
      await waitUntilTrue(() => memory.frames.usedBytesOf('c e') > 0, 'the beginning of the message');
      socket.pause('reports');
      writeRawBytes(agent, text.subarray(1_000));
      timeLimit.fire();
      timeLimit.fire();
      expect([socket.isPaused, observed.frames]).toEqual([true, 0]);
      socket.resume('reports');
      await waitUntilTrue(() => observed.frames === 1, 'the message');
      expect(observed.reason).toBe('');
    } finally {
      timeLimit.release();
    }
  });

  it('before the welcome, a message in assembly may not be larger than a hello', async () => {
    const { agent, observed } = await connectSocket({ welcomed: false });
    writeRawBytes(agent, messageOfBytes(MEGABYTE).subarray(0, 1_000));
    await waitUntilTrue(() => observed.reason !== '', 'the end of the connection');
    expect(observed.reason).toBe('BAD_FRAME');
    expect(memory.frames.usedBytes).toBe(0);
  });
});

describe('closing connections', () => {
  it.each<[string, string, (agent: WebSocket) => void]>([
    ['that the router closes', 'BAD_FRAME', (agent) => agent.send(Buffer.alloc(1))],
    [
      'that the router closes and the agent then cuts off',
      'BAD_FRAME',
      (agent) => {
        agent.once('message', () => agent.terminate());
        agent.send(Buffer.alloc(1));
      },
    ],
    ['that the agent closes', '1001', (agent) => agent.close(1001)],
  ])('a connection %s ends with the reason %s', async (_, reason, end) => {
    const { agent, observed } = await connectSocket();
    end(agent);
    await waitUntilTrue(() => observed.isClosed, 'the end of the connection');
    expect(observed.closedFor).toBe(reason);
  });

  it('a connection that is closing is not terminated when its agent still sends bytes, so that the agent reads the close code', async () => {
    const { agent, socket, observed } = await connectSocket({ welcomed: false });
    const closed = once(agent, 'close');
    agent.pause();
    const binary = Buffer.from([0x82, 0x80, 0, 0, 0, 0]);
    writeRawBytes(agent, Buffer.concat([binary, messageOfBytes(MEGABYTE).subarray(0, 1_000)]));
    await waitUntilTrue(() => socket.isPaused || observed.isClosed, 'the end of reading');
    expect(observed.isClosed).toBe(false);
    agent.resume();
    await waitUntilTrue(() => agent.readyState === WebSocket.CLOSING, 'the close frame');
    agent.terminate();
    expect((await closed)[0]).toBe(4400);
    expect(observed.reason).toBe('BAD_FRAME');
  });

  it('a connection that is closing after a too large message is not read again, whatever its session does', async () => {
    const { agent, socket, observed } = await connectSocket({ welcomed: false });
    socket.listen({ onFrame: () => socket.pause('opening'), onClose: () => {} });
    writeRawBytes(agent, Buffer.concat([messageOfBytes(100), messageOfBytes(MEGABYTE).subarray(0, 1_000)]));
    await waitUntilTrue(() => observed.reason !== '', 'the reason');
    socket.allowAllFrames();
    expect([observed.reason, socket.isPaused]).toEqual(['BAD_FRAME', true]);
  });
});

test('unread frames of other environments do not count toward the limit of an environment', () => {
  const hostile = Array.from({ length: 4 }, (_, index) => memory.unread.hold(`hostile-${index} e`));
  const small: Reservation = memory.unread.hold('small e');
  for (const reservation of hostile) reservation.resize(15 * MEGABYTE);
  small.resize(100_000);
  expect([memory.isUnreadFull('hostile-0 e'), memory.isUnreadFull('small e')]).toEqual([true, false]);
});

test.each(['frames', 'reports', 'parts', 'unread'] as const)(
  'a company with many environments leaves memory for the %s of others',
  (kind) => {
    const ofCompany = (companyID: string) => (_: unknown, index: number) =>
      memory[kind].tryReserve(memoryTenantOf({ companyID, environmentID: `e${index}` }), 4 * MEGABYTE);
    const admitted = Array.from({ length: 50 }, ofCompany('hostile')).filter(Boolean);
    expect(admitted.length).toBeGreaterThan(1);
    expect([ofCompany('other')(undefined, 0), ofCompany('other')(undefined, 1)]).not.toContain(undefined);
  },
);
