import type { EventDeliveryStatus, InstanceEventName } from '../../api/generated/console-api';

export const EVENT_NAMES = [
  'instance.success',
  'instance.error',
  'instance.terminated',
  'instance.stopped',
] as const satisfies InstanceEventName[];

export const DELIVERY_STATUSES = ['waiting', 'delivered', 'dead'] as const satisfies EventDeliveryStatus[];
