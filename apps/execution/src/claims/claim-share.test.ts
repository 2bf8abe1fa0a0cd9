import { ClaimBudget, ClaimShare, MAX_CLAIM_WEIGHT } from './claim-share';

const MEGABYTE = 1_048_576;
const SMALL_INPUT = { large: false };
const LARGE_INPUT = { large: true };
const workSize = (weight: number, bytes = 1) => ({ bytes, weight });

describe('shares', () => {
  it('the share of a claim takes instances up to the bytes of one reply, and a first instance of any size', () => {
    const share = new ClaimShare('e');
    expect(share.take(workSize(1, 9 * MEGABYTE), SMALL_INPUT)).toBe(true);
    expect(share.take(workSize(1), SMALL_INPUT)).toBe(false);
    expect(share.isFull).toBe(true);
  });

  it('vault values that are counted after their instance was taken leave no room for another instance when they fill the reply', () => {
    const share = new ClaimShare('e');
    expect(share.take(workSize(1), SMALL_INPUT)).toBe(true);
    share.addVaultBytes(4 * MEGABYTE);
    expect(share.take(workSize(1), SMALL_INPUT)).toBe(false);
  });

  it('the share of a claim takes instances up to their estimated memory', () => {
    const share = new ClaimShare('e');
    expect([8, 8, 1].map((megabytes) => share.take(workSize(megabytes * MEGABYTE), SMALL_INPUT))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('the large inputs of a claim count in the budget of all claims until the share of the claim is released', () => {
    const budget = new ClaimBudget();
    const share = new ClaimShare('e', budget);
    share.take(workSize(1_000), SMALL_INPUT);
    share.take(workSize(5 * MEGABYTE), LARGE_INPUT);
    expect(budget.usedBytes).toBe(5 * MEGABYTE);
    share.release();
    expect(budget.usedBytes).toBe(0);
  });

  it('a claim of an environment that has used up its memory takes nothing, while other environments take theirs', () => {
    const budget = new ClaimBudget();
    new ClaimShare('hostile', budget).take(workSize(2 * MAX_CLAIM_WEIGHT), LARGE_INPUT);
    const [next, other] = [new ClaimShare('hostile', budget), new ClaimShare('other', budget)];
    expect([next.take(workSize(MEGABYTE), LARGE_INPUT), next.refusedWeight]).toEqual([false, MEGABYTE]);
    expect(other.take(workSize(MEGABYTE), LARGE_INPUT)).toBe(true);
    expect(next.take(workSize(1_000), SMALL_INPUT)).toBe(true);
  });
});
