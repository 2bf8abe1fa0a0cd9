import { integer, readSettings, secretKeys, serviceSettings } from '@batuta/config';
import type { z } from 'zod';

const settings = {
  ...serviceSettings,
  SECRET_KEYS: secretKeys,
  /** How often lost agents' instances and forgotten claims are looked for. */
  SWEEP_MS: integer(50, 60_000).default(2_000),
  /** A claim that is not granted for so long goes back to the queue. */
  CLAIM_SECONDS: integer(1, 600).default(15),
  /** Ended instances are kept for so many days; their log lines for as long as the plan says. */
  INSTANCE_RETENTION_DAYS: integer(1, 36_500).default(400),
  RETENTION_SWEEP_MS: integer(50, 86_400_000).default(60_000),
  /** Starts that share one transaction at the most. */
  START_BATCH: integer(1, 1_000).default(100),
};

export type ExecutionConfig = z.infer<z.ZodObject<typeof settings>>;

export const EXECUTION_SETTINGS = settings;

export function readExecutionConfig(env: NodeJS.ProcessEnv): ExecutionConfig {
  return readSettings(settings, env);
}

/** What the parts of the service ask of the settings; injected under this token. */
export const EXECUTION_CONFIG = Symbol('EXECUTION_CONFIG');
export type ExecutionSettings = Pick<
  ExecutionConfig,
  'START_BATCH' | 'SWEEP_MS' | 'CLAIM_SECONDS' | 'INSTANCE_RETENTION_DAYS' | 'RETENTION_SWEEP_MS'
>;
