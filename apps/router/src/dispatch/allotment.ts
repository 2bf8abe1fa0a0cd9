import { roomOf, type ClaimCandidate } from '../sessions/claim-capacity';

/** The session that claims next. */
export interface Allotment {
  sessionID: string;
  /** Maximum number of instances of the claim. */
  limit: number;
  /** Whether no other session has room. */
  isOnlyOneWithRoom: boolean;
}

/**
 * Chooses which session of a group claims next: the one with the most room. Its limit is its `claimLimit` or, if
 * smaller, this room divided by the number of sessions that have any, rounded up, so that one idle agent does not claim
 * the whole queue. Undefined when none has room.
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
