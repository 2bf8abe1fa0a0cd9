import type { ServerResponse } from 'node:http';

/** Maximum number of responses of unknown size of one route to one tenant that are being made. */
const MAX_RESPONSES = 4;

/**
 * Counts, by tenant and route, the responses of unknown size that are being made. All of them could be large, so only a few are made
 * at a time.
 */
export class AnswersOfUnknownSize {
  private readonly making = new Map<string, Set<ServerResponse>>();

  /**
   * Counts the response until it is sent. Returns false, without counting it, while enough others are being made, or when its client has
   * disconnected: such a response emits no further `close`, and would be counted forever.
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
