import { connect, createServer, type Socket } from 'node:net';
import { listenOnFreePort } from './web-server';

/** A TCP proxy to a server on this machine that can drop all bytes, as if the server's machine had vanished. */
export interface BlackHole {
  /** The URL of the server through the proxy. */
  readonly url: string;
  /**
   * From now on all bytes vanish, or with `replies` only the bytes that the server sends: connections stay open and new ones are
   * accepted, but nothing is answered, refused or closed. The server keeps its ends of the connections.
   */
  dropBytes(what?: 'everything' | 'replies'): void;
  /** Connections that are opened from now on reach the server; those that were open at `dropBytes`, or were opened since, stay dead. */
  restore(): void;
  /** Number of connections of clients that are open, the dead ones included. */
  connections(): number;
  close: () => Promise<void>;
}

interface ProxiedConnection {
  /** The connection of the client. */
  near: Socket;
  /** True once its bytes vanish, or only those of the server. */
  dead: boolean;
  /** The connection to the server; absent when the client connected while bytes vanished. */
  far?: Socket;
}

/**
 * Opens the proxy on a free port of the loopback. It needs no rights, unlike a packet filter, and both sides see a network that drops every
 * packet, except that the kernel acknowledges the bytes.
 */
export async function openBlackHole(serverUrl: string): Promise<BlackHole> {
  const url = new URL(serverUrl);
  const { hostname, port } = url;
  const proxied = new Set<ProxiedConnection>();
  let isDropping = false;
  const entrance = createServer((near) => {
    const connection: ProxiedConnection = { near, dead: isDropping };
    proxied.add(connection);
    near.on('error', () => undefined);
    near.resume();
    if (isDropping) return;
    const far = connect(Number(port), hostname);
    connection.far = far;
    far.on('error', () => undefined);
    near.pipe(far);
    far.pipe(near);
    // On a connection whose bytes vanish, neither side learns that the other one has closed it.
    const endBoth = () => {
      if (connection.dead) return;
      near.destroy();
      far.destroy();
    };
    near.on('close', endBoth);
    far.on('close', endBoth);
  });
  url.port = String(await listenOnFreePort(entrance));
  url.hostname = '127.0.0.1';
  return {
    url: url.href,
    dropBytes(what = 'everything') {
      isDropping = true;
      for (const connection of proxied) {
        const { near, far } = connection;
        connection.dead = true;
        far?.unpipe(near);
        far?.resume();
        if (what === 'replies') continue;
        if (far) near.unpipe(far);
        near.resume();
      }
    },
    restore() {
      isDropping = false;
    },
    connections: () => [...proxied].filter(({ near }) => !near.destroyed).length,
    async close() {
      for (const { near, far } of proxied) {
        near.destroy();
        far?.destroy();
      }
      await new Promise((resolve) => entrance.close(resolve));
    },
  };
}
