import { v7 as uuid } from 'uuid';

/**
 * A new id that is greater than `newest`, the greatest id of the processes of a company or of the origins of a process, also where the clock of
 * the replica that made that one is ahead. Ids that are made under the lock of the company thus have the order in which these objects become
 * visible: of two imports at once, the one with the younger object sees both.
 */
export function idAfter(newest: string | undefined): string {
  return uuid({ msecs: Math.max(Date.now(), newest === undefined ? 0 : timeOf(newest) + 1) });
}

/** The time in the first 48 bits of an id, in milliseconds since 1970. */
function timeOf(id: string): number {
  return Number.parseInt(id.replace('-', '').slice(0, 12), 16);
}
