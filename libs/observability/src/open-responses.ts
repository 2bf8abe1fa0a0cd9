import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The responses of each connection that are not complete. A client may send further requests before it has its first answer. */
export class OpenResponses {
  private readonly bySocket = new WeakMap<Duplex, Set<ServerResponse>>();

  constructor(server: Server) {
    server.prependListener('request', ({ socket }, response) => {
      const open = this.bySocket.get(socket) ?? new Set();
      this.bySocket.set(socket, open.add(response));
      response.once('close', () => open.delete(response));
    });
  }

  /** In the order of their requests. */
  of(socket: Duplex): ServerResponse[] {
    return [...(this.bySocket.get(socket) ?? [])];
  }
}
