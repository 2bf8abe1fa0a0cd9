import type { Schedule } from '@batuta/contracts';
import { z } from 'zod';

const cronExpression = z
  .string()
  .describe('Five fields as in cron(5): minute, hour, day of month, month, day of week; read in America/Sao_Paulo.');

/** The body of contract 4.13; `readScheduleBody` reads it. */
export const scheduleInput = z.looseObject({
  processID: z.uuid().describe('The process that the X-Process-Key belongs to.'),
  name: z.string().min(1).max(120).describe('1 to 120 characters after trimming; the `userName` of what it starts.'),
  cronExpression,
  matrix: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Values of every run by variable name. No Secreto: put it into the vault.'),
  environmentID: z.uuid().optional().describe('Where to run; the environment registered on the process unless sent.'),
  active: z.boolean().default(true),
});

export const scheduleChange = z.looseObject({ active: z.boolean() });

/** Contract 2.9. */
const scheduleItem = z
  .object({
    id: z.uuid(),
    name: z.string(),
    processID: z.uuid(),
    processName: z.string(),
    cronExpression,
    active: z.boolean(),
    userName: z.string().describe('The label of the credential that created it.'),
    matrix: z.record(z.string(), z.unknown()).describe('The values as they were sent.'),
    environmentID: z.string().describe('Empty when none was sent and the process has none.'),
    unavailable: z
      .literal('OWNER_PLAN_NO_SCHEDULING')
      .optional()
      .describe('Only there when it applies: the schedule does not fire.'),
  })
  .meta({ id: 'Schedule' }) satisfies z.ZodType<Schedule>;

export const scheduleList = z.object({ schedules: z.array(scheduleItem) });
export const scheduleMade = z.object({ id: z.uuid() });
export const scheduleChanged = z.object({ id: z.uuid(), active: z.boolean() });
export const scheduleRemoved = z.object({ ok: z.literal(true) });

export const SCHEDULE_ID = {
  description: 'The id of a schedule.',
  schema: { type: 'string', format: 'uuid', examples: ['01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c20'] },
};

const id = '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c20';
const processID = '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c11';
const everyMorning = { name: 'Every morning', cronExpression: '0 8 * * MON-FRI' };

export const SCHEDULE_EXAMPLES = {
  morning: { summary: 'At eight on working days', value: { processID, ...everyMorning } },
  values: {
    summary: 'With values, switched off for now',
    value: { processID, ...everyMorning, matrix: { customer: 'Empório São João' }, active: false },
  },
};
export const CHANGE_EXAMPLES = {
  off: { summary: 'Switch it off', value: { active: false } },
  on: { summary: 'Switch it on', value: { active: true } },
};

export const SCHEDULES: z.infer<typeof scheduleList> = {
  schedules: [
    {
      id,
      processID,
      processName: 'Take orders',
      ...everyMorning,
      active: true,
      userName: 'ERP',
      matrix: { customer: 'Empório São João' },
      environmentID: '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c12',
    },
  ],
};
export const MADE: z.infer<typeof scheduleMade> = { id };
export const CHANGED: z.infer<typeof scheduleChanged> = { id, active: false };
