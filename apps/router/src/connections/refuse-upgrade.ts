import { ApiError } from '@batuta/errors';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** Answers an upgrade request with the error envelope and closes the connection. */
export function refuseUpgrade(socket: Duplex, error: ApiError, headers: Record<string, string> = {}): void {
  const body = JSON.stringify(error.toEnvelope());
  const lines = Object.entries({
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  // The peer may never close its half of the connection.
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${body}`);
}
