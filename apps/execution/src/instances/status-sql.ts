import type { InstanceStatus } from '@batuta/contracts';
import { statusesBefore, statusSetBy, type StatusOnlyEvent } from './transition';

/**
 * SQL condition on `instance.status` for the rows to which an event of the transition table may apply; `statusAfter` is
 * the assignment of the status that follows. Compose a statement once, when its module loads. Statuses are constants of
 * this service, so they need no parameter.
 */
export function statusBefore(event: StatusOnlyEvent): string {
  const sources = statusesBefore(event);
  return sources.length === 1 ? `status = ${quoteSql(sources)}` : `status IN (${quoteSql(sources)})`;
}

export function statusAfter(event: StatusOnlyEvent): string {
  return `status = ${quoteSql([statusSetBy(event)])}`;
}

function quoteSql(statuses: InstanceStatus[]): string {
  return statuses.map((status) => `'${status}'`).join(', ');
}
