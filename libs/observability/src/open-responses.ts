import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * The responses of each connection that are not complete, or whose requests are not. A client may send further requests before it has its
 * first answer, and may have its answer before it has sent its request.
 */
export class OpenResponses {
  private readonly bySocket = new WeakMap<Duplex, Set<ServerResponse>>();

  constructor(server: Server) {
    server.prependListener('request', (request, response) => {
      const { socket } = request;
      const open = this.bySocket.get(socket) ?? new Set();
      this.bySocket.set(socket, open.add(response));
      response.once('close', () => {
        if (request.complete) open.delete(response);
        else request.once('close', () => open.delete(response));
      });
    });
  }

  /** In the order of their requests. */
  of(socket: Duplex): ServerResponse[] {
    const open = [...(this.bySocket.get(socket) ?? [])];
    // A request whose body nobody reads is complete without a `close`.
    return open.filter(({ closed, req }) => !closed || !req.complete);
  }
}
