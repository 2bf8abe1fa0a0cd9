import { frameWithoutEnd, openSocket, upgradeToWebSocket } from '../raw-socket.mjs';

const CONNECTION_COUNT = 90;
const HOLD_DURATION_MS = 6_000;
const UNFINISHED_FRAME = frameWithoutEnd();

export const framesTrick = {
  name: 'frames',
  what: `${CONNECTION_COUNT} WebSocket connections that each send a frame of 8 MB but for its last byte, held for ${HOLD_DURATION_MS / 1_000} s`,

  requiredAnswers: ['cut off'],

  async round(attacker) {
    const { activationKey } = attacker.world.targets.frames;
    const connections = [];
    try {
      await attacker.repeat(attacker.isShort ? 20 : CONNECTION_COUNT, 20, async () => {
        const connection = await openSocket(attacker.world.router, attacker.from);
        connections.push(connection);
        const status = await upgradeToWebSocket(connection, '/agent/v1', activationKey);
        attacker.count(`upgrade ${status}`);
        if (status !== 101) return;
        // Resolves when the operating system has taken all bytes, or the router has cut the connection.
        const written = new Promise((resolve) => connection.socket.write(UNFINISHED_FRAME, resolve));
        const slow = attacker.hold(HOLD_DURATION_MS).then(() => (attacker.isShort ? written : undefined));
        await Promise.race([written, connection.ended, slow]);
      });
      await attacker.hold(HOLD_DURATION_MS);
      for (const { socket } of connections) attacker.count(socket.destroyed ? 'cut off' : 'held');
    } finally {
      for (const { socket } of connections) socket.destroy();
    }
  },
};
