import { AGENT_CLOSE } from '@batuta/contracts';

const CLOSED: Record<number, string> = {
  // Tried again soon, it would only say the same again, for as long as it holds what it could not tell.
  [AGENT_CLOSE.badFrame]: 'The router does not understand what this agent says.',
  [AGENT_CLOSE.badKey]: 'The router does not know this activation key.',
  [AGENT_CLOSE.environmentGone]: 'The environment of this agent was deleted.',
  [AGENT_CLOSE.protocolVersion]: 'The router does not speak the protocol version of this agent.',
};

const ANSWERED: Record<number, string> = {
  401: 'The router does not know this activation key.',
  403: 'The router does not let this agent in.',
  404: 'There is no router for agents at this address.',
};

/** The router said no, and saying the same again soon will not change that. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';

  static ofClose(code: number): RefusedError | undefined {
    return CLOSED[code] === undefined ? undefined : new RefusedError(CLOSED[code]);
  }

  /** Of the HTTP status with which a router answers the upgrade instead of a connection. */
  static ofStatus(status: number): RefusedError | undefined {
    return ANSWERED[status] === undefined ? undefined : new RefusedError(ANSWERED[status]);
  }
}
