import type { InstanceStatus } from '@batuta/contracts';
import { sourcesOf, targetOf, type BulkEvent } from './transition';

/**
 * SQL text on `instance.status` for an event, from the transition table: the condition before it, and the assignment (or condition)
 * after it. Compose a statement once, when
 * its module loads. The statuses are constants of this service, so that they need no parameter.
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
