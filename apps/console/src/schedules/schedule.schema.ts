import { FIRING_RESULTS } from '@batuta/contracts';
import { z } from 'zod';
import { limited } from '../http/fields';

const scheduleItem = z.object({
  id: z.uuid(),
  name: z.string(),
  processID: z.uuid(),
  processName: z.string(),
  cronExpression: z.string(),
  active: z.boolean(),
  userName: z.string().meta({ description: 'The label of the credential that created it.' }),
  matrix: z.record(z.string(), z.unknown()),
  environmentID: z.string(),
  unavailable: z.literal('OWNER_PLAN_NO_SCHEDULING').optional(),
});
export const scheduleList = z.object({ schedules: z.array(scheduleItem) });

export const firingsQuery = limited.extend({
  before: z.iso
    .datetime({ offset: true, error: 'is not a time in ISO 8601, such as 2030-01-31T00:00:00Z' })
    .optional()
    .meta({ format: 'date-time', description: 'Only nominal times before this one: the last one read.' }),
});
export type FiringsQuery = z.output<typeof firingsQuery>;

const firing = z.object({
  nominalAt: z.iso.datetime(),
  result: z.enum(FIRING_RESULTS).meta({
    description: '`late` = started more than a minute after its time; `pending` = not answered by execution yet.',
  }),
  instanceID: z.uuid().nullable(),
  reason: z.object({ code: z.string(), message: z.string() }).nullable(),
  settledAt: z.iso.datetime().nullable(),
});
export const firingList = z.object({ firings: z.array(firing) });

export const previewInput = z.strictObject({
  cronExpression: z
    .string()
    .max(1_000)
    .meta({ examples: ['0 8 * * MON-FRI'] }),
});
export type PreviewInput = z.output<typeof previewInput>;

const upcoming = z.object({
  at: z.iso.datetime(),
  local: z.iso.datetime({ offset: true }).meta({ description: 'As the clocks of America/Sao_Paulo show it.' }),
});
export const previewAnswer = z.object({ times: z.array(upcoming) });
