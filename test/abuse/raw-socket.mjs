import { once } from 'node:events';
import { connect } from 'node:net';
import { randomBytes } from 'node:crypto';

const UNFINISHED_FRAME_BYTES = 8 * 1024 * 1024;

/** A TCP connection of the hostile tenant; `ended` resolves when the other side has closed it. */
export async function openSocket(url, from) {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), localAddress: from });
  socket.on('error', () => {});
  const ended = new Promise((resolve) => socket.once('close', resolve));
  await Promise.race([once(socket, 'connect'), ended]);
  return { socket, ended };
}

/** Upgrades to a WebSocket by hand; resolves to the status of the answer, 0 when there is none. */
export async function upgradeToWebSocket({ socket, ended }, path, activationKey) {
  const lines = [
    `GET ${path} HTTP/1.1`,
    'Host: router',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
    `Authorization: Bearer ${activationKey}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const answered = new Promise((resolve) => socket.once('data', (bytes) => resolve(bytes.toString('latin1'))));
  const text = await Promise.race([answered, ended]);
  socket.resume();
  return typeof text === 'string' ? Number(text.split(' ')[1]) : 0;
}

/** A masked text frame of 8 MB whose last byte is missing. */
export function frameWithoutEnd() {
  const head = Buffer.alloc(14);
  head[0] = 0x81;
  head[1] = 0x80 | 127;
  head.writeBigUInt64BE(BigInt(UNFINISHED_FRAME_BYTES), 2);
  return Buffer.concat([head, Buffer.alloc(UNFINISHED_FRAME_BYTES - 1, 0x20)]);
}

/** A complete masked text frame of less than 64 KB. */
export function textFrame(bytes) {
  const head = Buffer.alloc(8);
  head[0] = 0x81;
  head[1] = 0x80 | 126;
  head.writeUInt16BE(bytes.length, 2);
  return Buffer.concat([head, bytes]);
}
