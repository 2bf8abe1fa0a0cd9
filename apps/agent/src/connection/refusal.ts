import { REFUSAL_CLOSE_CODES } from '@batuta/agent-protocol';

const MESSAGE_OF_CLOSE_CODE: Record<number, string> = {
  // The agent ends when the router refuses its hello: a new connection would send the same one.
  [REFUSAL_CLOSE_CODES.badFrame]: 'The router does not understand what this agent says.',
  [REFUSAL_CLOSE_CODES.badKey]: 'The router does not know this activation key.',
  [REFUSAL_CLOSE_CODES.environmentGone]: 'The environment of this agent was deleted.',
  [REFUSAL_CLOSE_CODES.protocolVersion]: 'The router does not speak the protocol version of this agent.',
};

/** Who refused the connection. Statuses 403 and 404 are a proxy's, where a router has accepted the same address before. */
export type Refuser = 'router' | 'proxy';

const STATUSES_OF_PROXIES = [403, 404];
const MESSAGE_OF_HTTP_STATUS: Record<number, string> = {
  401: 'The router does not know this activation key.',
  403: 'The router does not let this agent in.',
  404: 'There is no router for agents at this address.',
};

/** The router, or a proxy before it, refused this agent for a cause that usually lasts: a reconnect soon would be refused again. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';

  private constructor(
    message: string,
    readonly by: Refuser,
  ) {
    super(message);
  }

  /** Undefined for a code that is none of REFUSAL_CLOSE_CODES. */
  static ofCloseCode(code: number): RefusedError | undefined {
    const message = MESSAGE_OF_CLOSE_CODE[code];
    return message === undefined ? undefined : new RefusedError(message, 'router');
  }

  /**
   * `status` is the HTTP status of a refused upgrade request, `reason` what the router says of it. Undefined for another status than 401, 403 and
   * 404.
   */
  static ofHttpStatus(status: number, reason?: string): RefusedError | undefined {
    const message = MESSAGE_OF_HTTP_STATUS[status];
    if (message === undefined) return undefined;
    const by = STATUSES_OF_PROXIES.includes(status) ? 'proxy' : 'router';
    return new RefusedError(reason === undefined ? message : `${message} It says: ${reason}`, by);
  }
}
