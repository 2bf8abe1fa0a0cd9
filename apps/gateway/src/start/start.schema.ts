import type { DryRunReply, StartReply } from '@batuta/contracts';
import { ERROR_CODES, type ErrorCode } from '@batuta/errors';
import { z } from 'zod';

/** The body of contract 4.8; `readStartBody` reads it. */
export const startInput = z.looseObject({
  matrix: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Values by variable name; see the variables of the process.'),
  environmentID: z.uuid().optional().describe('Where to run; the environment registered on the process unless sent.'),
});

export const START_EXAMPLES = {
  defaults: { summary: 'With the registered values', value: {} },
  values: {
    summary: 'With values',
    value: { matrix: { customer: 'Empório São João', freight: 'R$ 22,50', token: 's3cret' } },
  },
  elsewhere: { summary: 'In another environment', value: { environmentID: '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c12' } },
};

/** What execution refuses a start with, whoever asks for it. */
export const START_ERRORS = [
  'INVALID_MATRIX',
  'INVALID_ENVIRONMENT',
  'INSUFFICIENT_CREDITS',
  'PROCESS_NOT_PUBLISHED',
  'ROUTER_ERROR',
  'AGENT_OFFLINE',
] as const;

const accepted = <Status extends StartReply['status']>(status: Status) =>
  z.object({
    instanceID: z.uuid().describe('What the instance routes take.'),
    status: z.literal(status),
    replayed: z.literal(true).optional().describe('This Idempotency-Key has started the instance before.'),
  });

const started = accepted('started').meta({ id: 'Started' });
export const queued = accepted('queued').meta({ id: 'Queued' });

const errorCodes = Object.keys(ERROR_CODES).filter((code): code is ErrorCode => code in ERROR_CODES);

const dryRun = z
  .object({
    matrix: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('The values as the flow would get them, a Secreto masked; absent when a value is refused.'),
    refusals: z
      .array(z.object({ code: z.enum(errorCodes), message: z.string() }))
      .describe('All of them, in the order in which a start would meet them.'),
    environment: z
      .object({ environmentID: z.uuid(), name: z.string(), online: z.boolean() })
      .optional()
      .describe('Where it would run; absent when that is out of reach.'),
    status: z
      .enum(['started', 'queued'])
      .optional()
      .describe('What the start would answer; absent when it is refused.'),
  })
  .meta({ id: 'DryRun' }) satisfies z.ZodType<DryRunReply>;

export const startAnswer = z.union([started, dryRun]);

/** `readFlag` reads it. */
export const startQuery = z.object({
  dryRun: z
    .boolean()
    .default(false)
    .describe('Says what the start would do and what would refuse it; stores and charges nothing.'),
});

const instanceID = '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c15';
export const STARTED: z.infer<typeof started> = { instanceID, status: 'started' };
export const QUEUED: z.infer<typeof queued> = { instanceID, status: 'queued' };

export const DRY_RUN: z.infer<typeof dryRun> = {
  matrix: { customer: 'Empório São João', freight: 22.5, token: '•••' },
  refusals: [],
  environment: { environmentID: '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c12', name: 'Office machine', online: true },
  status: 'started',
};

export const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  description:
    'Makes the call safe to repeat: for 24 hours the same key gets the first answer again, and starts nothing.',
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$', examples: ['order-2026-0042'] },
};
