import { INSTANCE_STATUSES, SEVERITIES } from '@batuta/contracts';
import { z } from 'zod';
import { id } from '../http/fields';

export const runInput = z.strictObject({
  matrix: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({
      description: 'Values by variable name; what is absent takes its default.',
      examples: [{ total: '10,50' }],
    }),
  environmentID: id().optional().meta({ format: 'uuid', description: 'Absent = the one registered on the process.' }),
});
export type RunInput = z.output<typeof runInput>;

export const runAnswer = z.object({ instanceID: z.uuid(), status: z.enum(['started', 'queued']) });

const who = {
  instanceID: z.uuid(),
  processID: z.uuid(),
  processName: z.string(),
  status: z.enum(INSTANCE_STATUSES),
};
const response = z
  .object({ code: z.int(), body: z.unknown() })
  .optional()
  .meta({ description: 'What the process answered to the caller of its webhook, who may have gone by then.' });
const inProgress = z.object({
  ...who,
  userName: z.string(),
  startedAt: z.int().meta({ description: 'Epoch milliseconds.' }),
  paused: z.literal(true).optional(),
  response,
});
const ended = z.object({
  ...who,
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
  durationSeconds: z.int(),
  errorStep: z.string().nullable(),
  errorMessage: z.string().nullable(),
  savingsValue: z.number(),
  fteHours: z.number(),
  version: z.string(),
  response,
});
export const instanceAnswer = z.union([inProgress, ended]);
export const instanceList = z.object({ instances: z.array(instanceAnswer) });

export const logsQuery = z.strictObject({
  limit: z
    .string()
    .regex(/^\d{1,4}$/, { error: 'must be a whole number from 1 to 1000' })
    .transform(Number)
    .pipe(z.int().min(1).max(1_000))
    .default(1_000)
    .meta({ type: 'integer', minimum: 1, maximum: 1_000, pattern: undefined }),
  after: z
    .string()
    .regex(/^\d{1,15}$/, { error: 'must be a line number' })
    .transform(Number)
    .optional()
    .meta({ type: 'integer', minimum: 0, pattern: undefined, description: 'Only lines behind this line number.' }),
});
export type LogsQuery = z.output<typeof logsQuery>;

const line = z.object({
  timestamp: z.iso.datetime(),
  severity: z.enum(SEVERITIES),
  message: z.string(),
  stepID: z.string(),
  userName: z.string(),
  version: z.string(),
  evidence: z.string().nullable(),
});
export const logsAnswer = z.object({ logs: z.array(line) });

const event = z.object({
  at: z.iso.datetime(),
  action: z.string(),
  instanceID: z.uuid().nullable(),
  executor: z.string(),
  accountID: z.uuid().nullable(),
  detail: z.record(z.string(), z.unknown()),
});
export const auditAnswer = z.object({ events: z.array(event) });
