import { SUBSCRIBED_STATUSES, type InstanceEventName } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';

/** The column `events` of the events: statuses in a fixed order. Throws BAD_REQUEST, naming `events`. */
export function toStatuses(events: readonly InstanceEventName[]): string {
  const names = new Set<string>(events);
  const statuses = SUBSCRIBED_STATUSES.filter((status) => names.delete(`instance.${status}`));
  if (statuses.length === 0 || names.size > 0) {
    const known = SUBSCRIBED_STATUSES.map((status) => `instance.${status}`).join(', ');
    throw new ApiError('BAD_REQUEST', `events: must list at least one of ${known}`);
  }
  return statuses.join(',');
}

export function toEventNames(statuses: string): InstanceEventName[] {
  const stored = statuses.split(',');
  return SUBSCRIBED_STATUSES.filter((status) => stored.includes(status)).map(
    (status): InstanceEventName => `instance.${status}`,
  );
}
