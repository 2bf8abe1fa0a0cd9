import type { ServerResponse } from 'node:http';

const MAX_RESPONSES = 4;

/**
 * Counts the responses of one route to one tenant that are being made while nobody knows how large they are: all of them could be large, so only a few
 * are made at a time.
 */
export class UnknownSizes {
  private readonly making = new Map<string, Set<ServerResponse>>();

  /**
   * Counts the response until it is sent. Returns false, and does not count it, while enough others are being made, and for a response
   * whose client has disconnected, because it does not close again.
   */
  tryEnter(tenant: string, route: string, response: ServerResponse): boolean {
    if (response.destroyed) return false;
    const key = `${tenant} ${route}`;
    const making = this.making.get(key) ?? new Set();
    // The headers of an event stream are sent long before it closes.
    for (const other of making) if (other.headersSent) making.delete(other);
    if (making.size >= MAX_RESPONSES) return false;
    this.making.set(key, making.add(response));
    response.once('close', () => {
      making.delete(response);
      if (making.size === 0 && this.making.get(key) === making) this.making.delete(key);
    });
    return true;
  }
}
