import { connect, type Socket } from 'node:net';

const HEADER_INTERVAL_MS = 100;

/**
 * Resolves once the server has read a part of a request that never ends: it gets another header every HEADER_INTERVAL_MS until the server closes
 * the connection.
 */
export async function openEndlessRequest(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {}).resume();
  await new Promise<void>((resolve) => {
    socket.write('GET /health/live HTTP/1.1\r\n', () => resolve());
  });
  const headers = setInterval(() => socket.write('X: y\r\n'), HEADER_INTERVAL_MS);
  socket.once('close', () => clearInterval(headers));
  // The server answers this request after it has read the bytes that have arrived before.
  await fetch(`${url}/health/live`);
  return socket;
}

/** Resolves when the connection is closed, also by a reset. */
export function untilClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
  });
}
