import { integer, readSettings, serviceSettings } from '@batuta/config';
import { z } from 'zod';
import { CLOCK_FORM } from './clock';

const settings = {
  ...serviceSettings,
  /** How often due schedules and pending firings are looked for. */
  TICK_MS: integer(50, 60_000).default(500),
  /** How often schedules of deleted processes and old records are removed. */
  SWEEP_MS: integer(50, 86_400_000).default(60_000),
  /** How long the record of a firing is kept. */
  FIRING_RETENTION_DAYS: integer(1, 36_500).default(400),
  /** For tests only: `<instant>@<speed>`, a clock that showed the right time then and runs so many times as fast. */
  SCHEDULE_TEST_CLOCK: z.string().regex(CLOCK_FORM, { error: 'must be <instant in ISO 8601 UTC>@<speed>' }).optional(),
};

export type ScheduleConfig = z.infer<z.ZodObject<typeof settings>>;

export const SCHEDULE_SETTINGS = settings;

export function readScheduleConfig(env: NodeJS.ProcessEnv): ScheduleConfig {
  return readSettings(settings, env);
}
