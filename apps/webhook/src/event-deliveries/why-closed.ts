import type { DeliveryTarget } from './delivery.repository';

/** Returns why the subscription receives no more events, so that its waiting deliveries end; undefined while it receives them. */
export function whyClosed(target: Pick<DeliveryTarget, 'enabled' | 'suspended'> | undefined): string | undefined {
  if (!target) return 'the subscription was removed';
  if (target.enabled !== 1) return 'the subscription is switched off';
  return target.suspended === 1 ? 'the company is blocked' : undefined;
}
