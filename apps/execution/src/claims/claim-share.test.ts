import { ClaimBudget, ClaimShare, MAX_CLAIM_WEIGHT } from './claim-share';

const MEGABYTE = 1_048_576;
const small = { large: false };
const large = { large: true };
const workSize = (weight: number, bytes = 1) => ({ bytes, weight });

describe('the share of a claim', () => {
  it('takes instances up to their bytes in one reply, and one of any size', () => {
    const share = new ClaimShare('e');
    expect(share.take(workSize(1, 9 * MEGABYTE), small)).toBe(true);
    expect(share.take(workSize(1), small)).toBe(false);
    expect(share.full).toBe(true);
  });

  it('takes instances up to their estimated memory', () => {
    const share = new ClaimShare('e');
    expect([8, 8, 1].map((megabytes) => share.take(workSize(megabytes * MEGABYTE), small))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('counts large inputs in the budget of all claims until it is released', () => {
    const budget = new ClaimBudget();
    const share = new ClaimShare('e', budget);
    share.take(workSize(1_000), small);
    share.take(workSize(5 * MEGABYTE), large);
    expect(budget.usedBytes).toBe(5 * MEGABYTE);
    share.release();
    expect(budget.usedBytes).toBe(0);
  });

  it('of an environment that uses all of its memory takes nothing, while others take theirs', () => {
    const budget = new ClaimBudget();
    new ClaimShare('hostile', budget).take(workSize(2 * MAX_CLAIM_WEIGHT), large);
    const [next, other] = [new ClaimShare('hostile', budget), new ClaimShare('other', budget)];
    expect([next.take(workSize(MEGABYTE), large), next.refusedWeight]).toEqual([false, MEGABYTE]);
    expect(other.take(workSize(MEGABYTE), large)).toBe(true);
    expect(next.take(workSize(1_000), small)).toBe(true);
  });
});
