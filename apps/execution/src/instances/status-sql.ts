import type { InstanceStatus } from '@batuta/contracts';
import { sourcesOf, targetOf, type BulkEvent } from './transition';

/**
 * SQL text for an event of the transition table: the condition on `instance.status` before it, and the assignment after it.
 * Compose a statement once, when its module loads. Statuses are constants of this service, so they need no parameter.
 */
export function statusBefore(event: BulkEvent): string {
  const sources = sourcesOf(event);
  return sources.length === 1 ? `status = ${quoted(sources)}` : `status IN (${quoted(sources)})`;
}

export function statusAfter(event: BulkEvent): string {
  return `status = ${quoted([targetOf(event)])}`;
}

function quoted(statuses: InstanceStatus[]): string {
  return statuses.map((status) => `'${status}'`).join(', ');
}
