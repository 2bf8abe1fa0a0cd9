import { z } from 'zod';
import { change, line, whole } from '../http/fields';

const fields = {
  name: line().meta({ examples: ['Professional'] }),
  apiAccess: z.boolean(),
  scheduling: z.boolean(),
  monthlyCredits: whole(0, 1_000_000_000),
  logRetentionDays: whole(1, 3_650),
  requestsPerMinute: whole(1, 1_000_000),
};

export const planInput = z.strictObject(fields);
export type PlanInput = z.output<typeof planInput>;

export const planChange = change(fields);
export type PlanChange = z.output<typeof planChange>;

export const planAnswer = z.object({
  id: z.uuid(),
  name: z.string(),
  apiAccess: z.boolean(),
  scheduling: z.boolean(),
  monthlyCredits: z.int(),
  logRetentionDays: z.int(),
  requestsPerMinute: z.int(),
  createdAt: z.iso.datetime(),
});
export type PlanAnswer = z.infer<typeof planAnswer>;

export const planList = z.object({ plans: z.array(planAnswer) });
