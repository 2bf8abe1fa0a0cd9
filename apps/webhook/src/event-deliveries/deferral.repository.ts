import { inBites, type Store } from '@batuta/database';
import { FIRST_DEFERRAL_MS } from './attempt-plan';
import { changeAllWaiting, changeWaiting, type WaitingChange } from './waiting-deliveries.repository';

/**
 * Lets the due deliveries of a subscription wait for `pauseMs`, without counting an attempt, but at most FIRST_DEFERRAL_MS longer than the
 * address has failed: that time begins again when the subscription is switched on or gets another address. Changes nothing of a subscription that
 * is switched off, whose waiting deliveries end with the next rounds. Returns how many due deliveries it found.
 */
export function deferDue(store: Store, id: string, pauseMs: number, isStopping?: () => boolean): Promise<number> {
  const defer = async (tx: Store, limit: number) => {
    // With this lock, either a change of the subscription waits for this transaction, or this transaction waits for the change.
    const subscription = await tx.row<{ enabled: number; failingMs: number | null }>(
      `SELECT enabled, TIMESTAMPDIFF(MICROSECOND, first_failure_at, UTC_TIMESTAMP(3)) DIV 1000 AS failingMs
         FROM event_subscription WHERE subscription_id = ? LOCK IN SHARE MODE`,
      [id],
    );
    if (subscription?.enabled !== 1) return 0;
    const microseconds = Math.min(pauseMs, FIRST_DEFERRAL_MS + (subscription.failingMs ?? 0)) * 1_000;
    const deferral: WaitingChange = {
      set: ['next_attempt_at = UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND', microseconds],
      where: ['next_attempt_at <= UTC_TIMESTAMP(3)'],
    };
    return (await changeWaiting(tx, id, deferral, limit)).found;
  };
  return inBites((limit) => store.transaction((tx) => defer(tx, limit)), { isStopping });
}

/** Makes the deliveries that were deferred before their first attempt due at once, because the address works again. Returns their number. */
export function endDeferral(store: Store, id: string, isStopping?: () => boolean): Promise<number> {
  const change: WaitingChange = {
    set: ['next_attempt_at = UTC_TIMESTAMP(3)'],
    where: ['attempts = 0 AND next_attempt_at > UTC_TIMESTAMP(3)'],
  };
  return changeAllWaiting(store, id, change, { isStopping });
}
