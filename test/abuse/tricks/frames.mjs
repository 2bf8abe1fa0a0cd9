import { frameWithoutEnd, openSocket, upgrade } from '../raw-socket.mjs';

const CONNECTIONS = 90;
const HOLD_MS = 6_000;
const FRAME = frameWithoutEnd();

export const frames = {
  name: 'frames',
  what: `${CONNECTIONS} WebSocket connections that each send a frame of 8 MB but for its last byte, held for ${HOLD_MS / 1_000} s`,

  some: ['cut off'],

  async round(at) {
    const { activationKey } = at.world.plants.frames;
    const connections = [];
    try {
      await at.repeat(at.isShort ? 20 : CONNECTIONS, 20, async () => {
        const connection = await openSocket(at.world.router, at.from);
        connections.push(connection);
        const status = await upgrade(connection, '/agent/v1', activationKey);
        at.count(`upgrade ${status}`);
        if (status !== 101) return;
        // Resolves when the operating system has taken all bytes, or the router has cut the connection.
        const written = new Promise((resolve) => connection.socket.write(FRAME, resolve));
        const slow = at.hold(HOLD_MS).then(() => (at.isShort ? written : undefined));
        await Promise.race([written, connection.ended, slow]);
      });
      await at.hold(HOLD_MS);
      for (const { socket } of connections) at.count(socket.destroyed ? 'cut off' : 'held');
    } finally {
      for (const { socket } of connections) socket.destroy();
    }
  },
};
