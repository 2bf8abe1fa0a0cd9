import { CONTROL_ACTIONS, SEVERITIES, type InstanceBody, type InstanceResponse, type LogLine } from '@batuta/contracts';
import { z } from 'zod';

const identity = { instanceID: z.uuid(), processID: z.uuid(), processName: z.string() };

const response = z
  .object({ code: z.int(), body: z.unknown().describe('The JSON of the answer.') })
  .meta({ id: 'InstanceResponse' })
  .describe(
    "What the process answered to its webhook's caller, who may have gone by then.",
  ) satisfies z.ZodType<InstanceResponse>;

/** Contract 2.6b. */
const inProgress = z
  .object({
    ...identity,
    status: z.enum(['queued', 'running', 'unknown']),
    userName: z.string().describe('The label of the credential that started it.'),
    startedAt: z.int().min(0).describe('Epoch milliseconds: of acceptance while queued, then of the begin.'),
    paused: z.literal(true).optional().describe('Only while paused.'),
    queue: z
      .object({
        position: z.int().min(1).describe("Its place in the environment's queue."),
        reason: z.enum(['AGENT_OFFLINE', 'AGENT_BUSY']).describe('What it waits for.'),
      })
      .optional()
      .describe('Only while queued.'),
    response: response.optional(),
  })
  .meta({ id: 'InstanceInProgress' });

const ended = z
  .object({
    ...identity,
    status: z.enum(['success', 'error', 'terminated', 'stopped']),
    startedAt: z.iso.datetime(),
    finishedAt: z.iso.datetime(),
    durationSeconds: z.int().min(0),
    errorStep: z.string().nullable(),
    errorMessage: z.string().nullable(),
    savingsValue: z.number(),
    fteHours: z.number(),
    version: z.string().describe('The version of the process that ran.'),
    response: response.optional(),
  })
  .meta({ id: 'InstanceEnded' });

export const instance = z.union([inProgress, ended]) satisfies z.ZodType<InstanceBody>;

/** Contract 2.8. */
const logLine = z
  .object({
    timestamp: z.iso.datetime(),
    severity: z.enum(SEVERITIES),
    message: z.string().describe('What is sensitive is masked.'),
    stepID: z.string().describe('The name of the step.'),
    userName: z.string(),
    version: z.string(),
    evidence: z.string().nullable(),
  })
  .meta({ id: 'LogLine' }) satisfies z.ZodType<LogLine>;

export const logLines = z.object({ logs: z.array(logLine) });

/** The query of contract 4.11; `readCount` reads it. */
export const logQuery = z.object({
  limit: z.int().min(1).max(1_000).default(1_000).describe('The newest so many lines.'),
  after: z.int().min(0).max(999_999_999).optional().describe('Only lines behind the line of this number.'),
});

export const controlled = z.object({ ok: z.literal(true), action: z.enum(CONTROL_ACTIONS) });

export const INSTANCE_ID = { description: 'The instance, from its start.', schema: { type: 'string', format: 'uuid' } };
export const ACTION = { description: 'What to do.', schema: { type: 'string', enum: CONTROL_ACTIONS } };
