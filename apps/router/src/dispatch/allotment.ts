import { roomOf, type ClaimCandidate } from '../sessions/claim-capacity';

export interface Allotment {
  sessionID: string;
  limit: number;
  /** Whether no other session has room. */
  isOnlyOneWithRoom: boolean;
}

/**
 * Chooses which of an environment's sessions claims next, and its limit: the session with the most room, limited to its
 * share of that room among all sessions that have any, so that one idle agent does not claim the whole queue.
 */
export function nextAllotment(candidates: readonly ClaimCandidate[]): Allotment | undefined {
  const open = candidates
    .map((candidate) => ({ candidate, room: roomOf(candidate) }))
    .filter(({ room }) => room > 0)
    .toSorted((a, b) => b.room - a.room);
  const [first] = open;
  if (!first) return undefined;
  const { sessionID, claimLimit } = first.candidate;
  return {
    sessionID,
    limit: Math.min(claimLimit, Math.ceil(first.room / open.length)),
    isOnlyOneWithRoom: open.length === 1,
  };
}
