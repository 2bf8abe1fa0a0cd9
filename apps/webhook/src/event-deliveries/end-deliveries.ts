/** One round ends at most about this number of deliveries that must not be sent, so that others need not wait; the next round ends more. */
export const MAX_ENDED_PER_ROUND = 1_000;
/** What a failure counts as, in deliveries: it has usually waited for a lock for seconds. */
const FAILURE_COUNTS_AS = 250;

/**
 * Ends waiting deliveries of these subscriptions, also when those of another one cannot end; then throws the first failure. `end` ends at most
 * about `maxRows` deliveries of a subscription and returns how many it found: those that another replica ended meanwhile cost as much.
 */
export async function endDeliveriesOf(
  subscriptions: ReadonlySet<string>,
  end: (id: string, maxRows: number) => Promise<number>,
): Promise<void> {
  const failures: unknown[] = [];
  let left = MAX_ENDED_PER_ROUND;
  for (const id of subscriptions) {
    if (left <= 0) break;
    try {
      left -= await end(id, left);
    } catch (error) {
      failures.push(error);
      left -= FAILURE_COUNTS_AS;
    }
  }
  if (failures.length > 0) throw failures[0];
}
