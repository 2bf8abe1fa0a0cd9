/** What decides whether a subscription receives events. */
export interface SubscriptionState {
  enabled: number;
  /** 1 = the company is suspended, so that its events are not sent. */
  suspended: number;
}

/** Returns why the subscription receives no more events, so that its waiting deliveries end; undefined while it receives them. */
export function whyClosed(target: SubscriptionState | undefined): string | undefined {
  if (!target) return 'the subscription was removed';
  if (target.enabled !== 1) return 'the subscription is switched off';
  return target.suspended === 1 ? 'the company is blocked' : undefined;
}
