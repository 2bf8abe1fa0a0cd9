import { EVENT_NAMES, type EventName } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';

/** The name of an event in the column `events`: a status of an instance, or a result of a firing. No name is both. */
const shortNameOf = (name: EventName) => name.slice(name.indexOf('.') + 1);

/**
 * The value of the column `events`: the short names of these events, in a fixed order. Throws BAD_REQUEST, naming `events`, for an empty list or
 * an unknown name.
 */
export function toEventsColumn(events: readonly EventName[]): string {
  const names = new Set<string>(events);
  const known = EVENT_NAMES.filter((name) => names.delete(name));
  if (known.length === 0 || names.size > 0) {
    throw new ApiError('BAD_REQUEST', `events: must list at least one of ${EVENT_NAMES.join(', ')}`);
  }
  return known.map(shortNameOf).join(',');
}

/** The events of a value of the column, in the order of EVENT_NAMES; unknown names are left out. */
export function fromEventsColumn(column: string): EventName[] {
  const stored = column.split(',');
  return EVENT_NAMES.filter((name) => stored.includes(shortNameOf(name)));
}
