import type { DeliveryTarget } from './delivery.repository';

/** Why a subscription gets no events any more; its waiting deliveries end with it. */
export function whyClosed(target: Pick<DeliveryTarget, 'enabled' | 'suspended'> | undefined): string | undefined {
  if (!target) return 'the subscription was removed';
  if (target.enabled !== 1) return 'the subscription is switched off';
  return target.suspended === 1 ? 'the company is blocked' : undefined;
}
