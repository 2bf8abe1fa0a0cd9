import { createClaimCandidate } from '../../test/claim-candidate';
import { MAX_BUFFERED_BYTES, nextClaimLimit, roomOf, type ClaimCandidate } from './claim-capacity';

describe('room', () => {
  test.each<[string, Partial<ClaimCandidate>, number]>([
    ['its capacity when it is idle', {}, 4],
    ['the capacity that the environment allows when that is smaller', { environmentCapacity: 3 }, 3],
    ['the part of its capacity that is not held', { held: 3 }, 1],
    ['nothing when all of its capacity is held', { held: 4 }, 0],
    ['nothing when the capacity was lowered below what is held', { environmentCapacity: 1, held: 3 }, 0],
    ['nothing while a claim is in flight', { isClaiming: true }, 0],
    ['nothing while the agent drains', { isDraining: true }, 0],
    ['nothing while it backs off after a rejected offer', { isBackingOff: true }, 0],
    ['its capacity when its buffer is at the bound', { bufferedBytes: MAX_BUFFERED_BYTES }, 4],
    ['nothing when its buffer is above the bound', { bufferedBytes: MAX_BUFFERED_BYTES + 1 }, 0],
  ])('the room of a session is %s', (_name, over, room) => expect(roomOf(createClaimCandidate(over))).toBe(room));
});

test('a failed claim limits the next claim to one instance, and the limit doubles with each reply', () => {
  expect([nextClaimLimit(50, false), nextClaimLimit(1, true), nextClaimLimit(32, true)]).toEqual([1, 2, 50]);
});
