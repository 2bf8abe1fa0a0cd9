import { once } from 'node:events';
import { WebSocket, WebSocketServer } from 'ws';
import { until } from '../../test/until';
import { AgentSocket } from './agent-socket';

test('the connection of an agent that requests frames and never reads them is terminated', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const accepted = new Promise<WebSocket>((resolve) => server.once('connection', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no address');
  const agent = new WebSocket(`ws://127.0.0.1:${address.port}`);
  await once(agent, 'open');
  agent.pause();
  const socket = new AgentSocket(await accepted);
  let closed = false;
  socket.listen({ frame: () => {}, closed: () => (closed = true) });
  const message = 'x'.repeat(1_000_000);
  for (let sent = 0; sent < 100; sent += 1) socket.send({ type: 'error', code: 'UNAVAILABLE', message });
  expect(socket.bufferedBytes).toBeLessThan(36_000_000);
  await until(() => closed, 'the end of the connection');
  agent.terminate();
  await new Promise((resolve) => server.close(resolve));
});
