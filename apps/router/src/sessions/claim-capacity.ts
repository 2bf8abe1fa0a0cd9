/** The facts about a session that decide how many instances it may claim. */
export interface ClaimCandidate {
  sessionID: string;
  /** Maximum number of instances, as the agent's `hello` declared it. */
  agentCapacity: number;
  /** Maximum number of instances that the environment allows each agent. */
  environmentCapacity: number;
  held: number;
  /** A claim of this session is in flight, or the session is not ready for one. */
  claiming: boolean;
  /** The agent takes no more offers on this connection. */
  draining: boolean;
  /** The agent rejected an offer or did not answer it, and its pause is not over. */
  backingOff: boolean;
  /** Bytes that wait to be sent to the agent. */
  bufferedBytes: number;
  /** Maximum size of the next claim. */
  claimLimit: number;
}

/** The agent reads too slowly to be sent more. */
export const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;
/** The instances of one claim travel in one message. */
export const MAX_CLAIM = 50;

/** How many more instances a session may take now. */
export function roomOf(candidate: ClaimCandidate): number {
  const { claiming, draining, backingOff, bufferedBytes } = candidate;
  if (claiming || draining || backingOff || bufferedBytes > MAX_BUFFERED_BYTES) return 0;
  return Math.max(0, Math.min(candidate.agentCapacity, candidate.environmentCapacity) - candidate.held);
}

/** The limit of the next claim: 1 after a failure, whose reply may have been too large; it doubles with each reply. */
export function nextClaimLimit(claimLimit: number, answered: boolean): number {
  return answered ? Math.min(MAX_CLAIM, 2 * claimLimit) : 1;
}
