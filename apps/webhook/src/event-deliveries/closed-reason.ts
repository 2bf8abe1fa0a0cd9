import type { DisabledReason } from '@batuta/contracts';

/** What decides whether a subscription receives events. */
export interface SubscriptionState {
  enabled: number;
  /** Null for a subscription that is switched on, or that an administrator switched off. */
  disabled_reason: DisabledReason | null;
  /** 1 = the company is suspended, so that its events are not sent. */
  suspended: number;
}

/** Returns why the subscription receives no more events, so that its waiting deliveries end; undefined while it receives them. */
export function closedReason(target: SubscriptionState | undefined): string | undefined {
  if (!target) return 'the subscription was removed';
  if (target.enabled !== 1) return `the subscription is switched off${reasonOf(target)}`;
  return target.suspended === 1 ? 'the company is suspended' : undefined;
}

function reasonOf({ disabled_reason: reason }: SubscriptionState): string {
  return reason === null ? '' : `: ${reason}`;
}
