import type { InstanceStatus } from '@batuta/contracts';
import { statusesBefore, statusSetBy, type BulkEvent } from './transition';

/**
 * SQL text for an event of the transition table: the condition on `instance.status` before it, and the assignment after it.
 * Compose a statement once, when its module loads. Statuses are constants of this service, so they need no parameter.
 */
export function statusBefore(event: BulkEvent): string {
  const sources = statusesBefore(event);
  return sources.length === 1 ? `status = ${quoteSql(sources)}` : `status IN (${quoteSql(sources)})`;
}

export function statusAfter(event: BulkEvent): string {
  return `status = ${quoteSql([statusSetBy(event)])}`;
}

function quoteSql(statuses: InstanceStatus[]): string {
  return statuses.map((status) => `'${status}'`).join(', ');
}
