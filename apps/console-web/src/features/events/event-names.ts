import type { EventDeliveryStatus, EventName } from '../../api/generated/console-api';

export const EVENT_NAMES = [
  'instance.success',
  'instance.error',
  'instance.terminated',
  'instance.stopped',
  'schedule.failed',
  'schedule.skipped',
] as const satisfies EventName[];

export const DELIVERY_STATUSES = ['waiting', 'delivered', 'dead'] as const satisfies EventDeliveryStatus[];
