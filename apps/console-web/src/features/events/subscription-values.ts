import type { EventSubscriptionAnswer, EventName } from '../../api/generated/console-api';
import { EVENT_NAMES } from './event-names';

/** What the form of a subscription holds; an empty `processID` stands for all processes. */
export type SubscriptionValues = {
  url: string;
  events: string[];
  processID: string;
};

export const NEW_SUBSCRIPTION: SubscriptionValues = { url: '', events: ['instance.error'], processID: '' };

export const subscriptionValuesOf = ({ url, events, processID }: EventSubscriptionAnswer): SubscriptionValues => ({
  url,
  events,
  processID: processID ?? '',
});

export function subscriptionBodyOf({ url, events, processID }: SubscriptionValues) {
  const names: EventName[] = EVENT_NAMES.filter((name) => events.includes(name));
  return { url: url.trim(), events: names, processID: processID === '' ? null : processID };
}
