import type { DisabledReason } from '@batuta/contracts';

/** What decides whether a subscription receives events. */
export interface SubscriptionState {
  enabled: number;
  /** Null for a subscription that is switched on, or that an administrator switched off. */
  disabled_reason: DisabledReason | null;
  /** 1 = the company is suspended, so that its events are not sent. */
  suspended: number;
}

/**
 * Why a subscription is closed, which means that its waiting deliveries end unsent: it was removed (`target` is undefined) or switched off, or
 * its company is suspended. Undefined for one that receives events. The text is shown as the last error of the deliveries.
 */
export function closedReason(target: SubscriptionState | undefined): string | undefined {
  if (!target) return 'the subscription was removed';
  if (target.enabled !== 1) return `the subscription is switched off${reasonOf(target)}`;
  return target.suspended === 1 ? 'the company is suspended' : undefined;
}

function reasonOf({ disabled_reason: reason }: SubscriptionState): string {
  return reason === null ? '' : `: ${reason}`;
}
