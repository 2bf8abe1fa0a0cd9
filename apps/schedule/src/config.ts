import { Integer, readSettings, ServiceSettings } from '@batuta/config';
import { IsOptional, Matches } from 'class-validator';
import { TEST_CLOCK_FORMAT } from './nominal-clock';

class Settings extends ServiceSettings {
  /** Interval at which due schedules, pending firings and missed times are polled; due schedules are also looked for at each full minute. */
  @Integer(50, 60_000)
  TICK_MS = 500;

  /** Interval of the sweeps that remove schedules of deleted processes and old firings, and that correct next times. */
  @Integer(50, 86_400_000)
  SWEEP_MS = 60_000;

  /** Retention of the record of a firing, counted from its nominal time. */
  @Integer(1, 36_500)
  FIRING_RETENTION_DAYS = 400;

  /** Quota of schedules of a company (interpretation 55): ten for each process that its quota of processes allows. */
  @Integer(1, 1_000_000)
  QUOTA_SCHEDULES = 10_000;

  /**
   * For tests only, `<instant>@<speed>`: a clock that agreed with the real time at that instant and runs `speed` times
   * as fast.
   */
  @IsOptional()
  @Matches(TEST_CLOCK_FORMAT, { message: 'must be <instant in ISO 8601 UTC>@<speed>' })
  SCHEDULE_TEST_CLOCK?: string;
}

export type ScheduleConfig = Readonly<Settings>;

/** Throws one Error that names every wrong setting. */
export function readScheduleConfig(env: NodeJS.ProcessEnv): ScheduleConfig {
  return readSettings(Settings, env);
}

/** Injection token of the settings. */
export const SCHEDULE_CONFIG = Symbol('SCHEDULE_CONFIG');
