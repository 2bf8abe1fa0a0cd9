import { Abilities } from '@batuta/agent-protocol';
import { EmptyQueueCache, type PollResult } from '../claims/empty-queue-cache';
import { PendingClaims } from '../claims/pending-claims';
import { ClaimService } from './claim.service';

const ENVIRONMENT_ID = 'environment';
const ALL_ABILITIES = Abilities.announced();

/** A ClaimService whose polls of the queue are `claimOldest`. */
function createService(claimOldest: () => Promise<PollResult>) {
  const queues = new EmptyQueueCache();
  const pending = new PendingClaims(queues);
  const transaction = Object.assign(Object.create(null), { claimOldest });
  return { pending, claims: new ClaimService(pending, queues, transaction) };
}

describe('claims', () => {
  test('a claim that waits ends at its deadline, however slow the database is', async () => {
    let polls = 0;
    const { claims } = createService(async () => {
      polls += 1;
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      return { work: [], readWhole: true };
    });
    expect(await claims.claim(ENVIRONMENT_ID, { sessionID: 's', limit: 5, abilities: ALL_ABILITIES }, 500)).toEqual([]);
    expect(polls).toBe(1);
  });

  test('each claim polls the queue once, also while another claim polls', async () => {
    let polls = 0;
    const { claims } = createService(async () => {
      polls += 1;
      if (polls > 100) throw new Error('endless');
      await new Promise((resolve) => setTimeout(resolve, 2));
      return { work: [], readWhole: true };
    });
    const first = claims.claim(ENVIRONMENT_ID, { sessionID: 's1', limit: 5, abilities: ALL_ABILITIES }, 0);
    await new Promise((resolve) => setTimeout(resolve, 1));
    const second = claims.claim(ENVIRONMENT_ID, { sessionID: 's2', limit: 5, abilities: ALL_ABILITIES }, 0);
    expect(await Promise.all([first, second])).toEqual([[], []]);
    expect(polls).toBe(2);
  });

  test('a claim that arrives while the service stops takes nothing', async () => {
    const { pending, claims } = createService(() => Promise.reject(new Error('polled')));
    pending.onModuleDestroy();
    expect(await claims.claim(ENVIRONMENT_ID, { sessionID: 's', limit: 5, abilities: ALL_ABILITIES }, 0)).toEqual([]);
  });
});
