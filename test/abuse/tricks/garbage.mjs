import { openSocket, textFrame, upgradeToWebSocket } from '../raw-socket.mjs';

const MESSAGE_COUNT = 60;
const ANSWER_TIME_LIMIT_MS = 15_000;
const REQUEST_HEADS = [
  '',
  'GET / HTTP/1.1\r\n',
  'POST /v1/hooks/x/y HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n',
  `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n`,
];

export const garbageTrick = {
  name: 'garbage',
  what: `${MESSAGE_COUNT} connections with random bytes to each of gateway, console and router, and random frames of an agent`,

  requiredAnswers: ['closed'],

  async round(attacker) {
    const { gateway, console, router, targets } = attacker.world;
    const urls = [gateway, console, router];
    await attacker.repeat(attacker.isShort ? 18 : 3 * MESSAGE_COUNT, 12, async (number) => {
      const connection = await openSocket(urls[number % 3], attacker.from);
      connection.socket.write(
        Buffer.concat([Buffer.from(REQUEST_HEADS[number % REQUEST_HEADS.length]), randomBytes(attacker.random)]),
      );
      await countEnd(attacker, connection);
    });
    await attacker.repeat(attacker.isShort ? 6 : MESSAGE_COUNT, 6, async () => {
      const connection = await openSocket(router, attacker.from);
      const status = await upgradeToWebSocket(connection, '/agent/v1', targets.frames.activationKey);
      if (status !== 101) attacker.count(`upgrade ${status}`);
      connection.socket.write(textFrame(randomBytes(attacker.random)));
      await countEnd(attacker, connection);
    });
  },
};

/** Awaits that the other side closes the connection; half-closes it, so that a request that is never complete ends as well. */
async function countEnd(attacker, { socket, ended }) {
  socket.resume();
  socket.end();
  const timer = setTimeout(() => {
    attacker.count('still open');
    socket.destroy();
  }, ANSWER_TIME_LIMIT_MS);
  await ended;
  clearTimeout(timer);
  attacker.count('closed');
}

function randomBytes(random) {
  return Buffer.from(Array.from({ length: 1 + Math.floor(random() * 2_000) }, () => Math.floor(random() * 256)));
}
