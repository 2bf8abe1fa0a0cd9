import { createClaimCandidate } from '../../test/claim-candidate';
import type { ClaimCandidate } from '../sessions/claim-capacity';
import { nextAllotment } from './allotment';

test.each<[string, Partial<ClaimCandidate>[], string | undefined]>([
  ['without sessions there is none', [], undefined],
  ['without a session that has room there is none', [{ held: 4 }, { isDraining: true }], undefined],
  ['a session alone claims all of its room', [{ sessionID: 'a' }], 'a 4'],
  ['the session with more room claims first, and its share', [{ held: 2 }, { sessionID: 'b' }], 'b 2'],
  ['sessions with equal room share', [{ sessionID: 'a' }, { sessionID: 'b' }], 'a 2'],
  ['a full session has no share', [{ sessionID: 'a', held: 4 }, { sessionID: 'b' }], 'b 4'],
  ['a session claims at most its claim limit', [{ claimLimit: 1 }], 'a 1'],
  ['one claim has at most 50 instances', [{ agentCapacity: 500, environmentCapacity: 500 }], 'a 50'],
])('the next allotment: %s', (_name, candidates, expected) => {
  const next = nextAllotment(candidates.map((over) => createClaimCandidate(over)));
  expect(next && `${next.sessionID} ${next.limit}`).toBe(expected);
});
