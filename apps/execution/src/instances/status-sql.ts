import type { InstanceStatus } from '@batuta/contracts';
import { sourcesOf, targetOf, type BulkEvent } from './transition';

/**
 * The condition and the assignment of `instance.status` for an event, from the transition table. Statements are composed once,
 * when their module loads; statuses are words of our own code and need no parameter.
 */
export function statusBefore(event: BulkEvent): string {
  const sources = sourcesOf(event);
  return sources.length === 1 ? `status = ${quoted(sources)}` : `status IN (${quoted(sources)})`;
}

export function setStatusAfter(event: BulkEvent): string {
  return `status = ${quoted([targetOf(event)])}`;
}

function quoted(statuses: InstanceStatus[]): string {
  return statuses.map((status) => `'${status}'`).join(', ');
}
