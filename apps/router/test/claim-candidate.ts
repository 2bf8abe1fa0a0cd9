import { MAX_CLAIMED_INSTANCES, type ClaimCandidate } from '../src/sessions/claim-capacity';

/** For tests: a session with room for four instances, unless `over` says otherwise. */
export function createClaimCandidate(over: Partial<ClaimCandidate> = {}): ClaimCandidate {
  return {
    sessionID: 'a',
    agentCapacity: 4,
    environmentCapacity: 10,
    held: 0,
    isClaiming: false,
    isDraining: false,
    isBackingOff: false,
    bufferedBytes: 0,
    claimLimit: MAX_CLAIMED_INSTANCES,
    ...over,
  };
}
