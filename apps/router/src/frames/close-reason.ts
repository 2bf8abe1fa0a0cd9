import { REFUSAL_CLOSE_CODES, RETRY_CLOSE_CODES } from '@batuta/agent-protocol';

/** Why the router ends a connection: it sends an error frame with `code` and `message`, then closes with `closeCode`. */
export interface CloseReason {
  closeCode: number;
  code: string;
  message: string;
  /** The instance whose report was invalid. */
  instanceID?: string;
}

/** WebSocket's standard codes "going away" and "try again later". */
const GOING_AWAY = 1001;
const TRY_AGAIN_LATER = 1013;

export const closeReasons = {
  badFrame: (message: string, instanceID?: string): CloseReason => ({
    closeCode: REFUSAL_CLOSE_CODES.badFrame,
    code: 'BAD_FRAME',
    message,
    instanceID,
  }),
  /**
   * The key was replaced after the connection was accepted, or the environment was deleted before the session had its row. An unknown key is
   * refused by HTTP, before the WebSocket.
   */
  badKey: (): CloseReason => ({
    closeCode: REFUSAL_CLOSE_CODES.badKey,
    code: 'INVALID_CREDENTIAL',
    message: 'The activation key is not known any more.',
  }),
  environmentGone: (): CloseReason => ({
    closeCode: REFUSAL_CLOSE_CODES.environmentGone,
    code: 'ENVIRONMENT_DELETED',
    message: 'The environment was deleted.',
  }),
  protocolVersion: (message: string): CloseReason => ({
    closeCode: REFUSAL_CLOSE_CODES.protocolVersion,
    code: 'PROTOCOL_VERSION',
    message,
  }),
  helloTimeout: (): CloseReason => ({
    closeCode: RETRY_CLOSE_CODES.helloTimeout,
    code: 'HELLO_TIMEOUT',
    message: 'No hello came in time.',
  }),
  tooMuchData: (): CloseReason => ({
    closeCode: RETRY_CLOSE_CODES.tooMuchData,
    code: 'TOO_MUCH_DATA',
    message:
      'A message was not complete in time, or the agents of the environment send too much at once; connect again.',
  }),
  tooManySessions: (message: string): CloseReason => ({
    closeCode: RETRY_CLOSE_CODES.tooManySessions,
    code: 'TOO_MANY_SESSIONS',
    message,
  }),
  /** The session could not be opened: the database or execution failed or took too long, or execution refused the resume. */
  unavailable: (): CloseReason => ({
    closeCode: TRY_AGAIN_LATER,
    code: 'UNAVAILABLE',
    message: 'A part that the session needs is away for the moment; try again.',
  }),
  /** The lease was not renewed in time or has expired, or another router, at which the agent resumed, has closed the session. */
  leaseLost: (): CloseReason => ({
    closeCode: TRY_AGAIN_LATER,
    code: 'LEASE_LOST',
    message: 'The session could not be kept; connect again and resume.',
  }),
  /** The agent resumed at this replica; after a resume at another one the old session ends as `leaseLost`. */
  superseded: (): CloseReason => ({
    closeCode: TRY_AGAIN_LATER,
    code: 'SUPERSEDED',
    message: 'The agent goes on in another session.',
  }),
  goingAway: (): CloseReason => ({
    closeCode: GOING_AWAY,
    code: 'GOING_AWAY',
    message: 'This router stops; connect again and resume.',
  }),
};
