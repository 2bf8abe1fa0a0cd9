import { openSocket, textFrame, upgrade } from '../raw-socket.mjs';

const MESSAGES = 60;
const ANSWER_MS = 15_000;
const HEADS = [
  '',
  'GET / HTTP/1.1\r\n',
  'POST /v1/hooks/x/y HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n',
  `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n`,
];

export const garbage = {
  name: 'garbage',
  what: `${MESSAGES} connections with random bytes to each of gateway, console and router, and random frames of an agent`,

  some: ['closed'],

  async round(at) {
    const { gateway, console, router, plants } = at.world;
    const targets = [gateway, console, router];
    await at.repeat(at.isShort ? 18 : 3 * MESSAGES, 12, async (number) => {
      const connection = await openSocket(targets[number % 3], at.from);
      connection.socket.write(Buffer.concat([Buffer.from(HEADS[number % HEADS.length]), randomBytes(at.random)]));
      await answered(at, connection);
    });
    await at.repeat(at.isShort ? 6 : MESSAGES, 6, async () => {
      const connection = await openSocket(router, at.from);
      const status = await upgrade(connection, '/agent/v1', plants.frames.activationKey);
      if (status !== 101) at.count(`upgrade ${status}`);
      connection.socket.write(textFrame(randomBytes(at.random)));
      await answered(at, connection);
    });
  },
};

/** Awaits that the other side closes the connection; half-closes it, so that a request that is never complete ends as well. */
async function answered(at, { socket, ended }) {
  socket.resume();
  socket.end();
  const timer = setTimeout(() => {
    at.count('still open');
    socket.destroy();
  }, ANSWER_MS);
  await ended;
  clearTimeout(timer);
  at.count('closed');
}

function randomBytes(random) {
  return Buffer.from(Array.from({ length: 1 + Math.floor(random() * 2_000) }, () => Math.floor(random() * 256)));
}
