/** The facts about a session that decide how many instances it may claim. */
export interface ClaimCandidate {
  sessionID: string;
  /** Maximum number of instances, as the agent's `hello` declared it. */
  agentCapacity: number;
  /** Maximum number of instances that the environment allows each agent. */
  environmentCapacity: number;
  /** Number of instances that the session has: offered, being granted or granted. */
  held: number;
  /** True while a claim of this session is in flight, and also before its welcome and after its end. */
  isClaiming: boolean;
  /** Whether the agent takes no more offers on this connection. */
  isDraining: boolean;
  /** Whether the session pauses because the agent rejected an offer or did not answer it. */
  isBackingOff: boolean;
  /** Bytes that wait to be sent to the agent; Infinity while `AgentMemory.isUnreadFull` for its environment. */
  bufferedBytes: number;
  /** Maximum number of instances of the next claim. */
  claimLimit: number;
}

/** An agent with more bytes waiting to be sent reads too slowly and gets no offers. */
export const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;
/** Maximum number of instances of one claim, which travel in one message. */
export const MAX_CLAIMED_INSTANCES = 50;

/** How many more instances a session may take now. */
export function roomOf(candidate: ClaimCandidate): number {
  const { isClaiming, isDraining, isBackingOff, bufferedBytes } = candidate;
  if (isClaiming || isDraining || isBackingOff || bufferedBytes > MAX_BUFFERED_BYTES) return 0;
  return Math.max(0, Math.min(candidate.agentCapacity, candidate.environmentCapacity) - candidate.held);
}

/**
 * The instance limit of the session's next claim: 1 after a failed claim, whose reply may have been too large; doubled
 * after each reply.
 */
export function nextClaimLimit(claimLimit: number, answered: boolean): number {
  return answered ? Math.min(MAX_CLAIMED_INSTANCES, 2 * claimLimit) : 1;
}
