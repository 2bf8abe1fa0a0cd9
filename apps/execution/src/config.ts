import { Integer, readSettings, SecretKeys, ServiceSettings } from '@batuta/config';

class Settings extends ServiceSettings {
  @SecretKeys()
  SECRET_KEYS!: string;

  /** Interval of the sweeps that requeue instances of lost agents and forgotten claims. */
  @Integer(50, 60_000)
  SWEEP_MS = 2_000;

  /** A claim that is not granted within this time goes back to the queue. */
  @Integer(1, 600)
  CLAIM_SECONDS = 15;

  /** Retention of ended instances; the plan says the retention of their log lines. */
  @Integer(1, 36_500)
  INSTANCE_RETENTION_DAYS = 400;

  /** Interval of the sweep that removes what has passed its retention. */
  @Integer(50, 86_400_000)
  RETENTION_SWEEP_MS = 60_000;

  /** Maximum number of starts in one transaction. */
  @Integer(1, 1_000)
  START_BATCH = 100;

  /**
   * Maximum number of queued instances of one environment; a start beyond it is RATE_LIMITED (interpretation 55). At one start
   * a second it is more than a day without an agent. Each replica may exceed it by a tenth.
   */
  @Integer(1_000, 100_000_000)
  QUEUED_PER_ENVIRONMENT = 100_000;
}

export type ExecutionConfig = Readonly<Settings>;

/** Throws one Error that names every wrong setting. */
export function readExecutionConfig(env: NodeJS.ProcessEnv): ExecutionConfig {
  return readSettings(Settings, env);
}

/** Injection token of the settings that the service's own classes read. */
export const EXECUTION_CONFIG = Symbol('EXECUTION_CONFIG');
export type ExecutionSettings = Pick<
  ExecutionConfig,
  | 'START_BATCH'
  | 'QUEUED_PER_ENVIRONMENT'
  | 'SWEEP_MS'
  | 'CLAIM_SECONDS'
  | 'INSTANCE_RETENTION_DAYS'
  | 'RETENTION_SWEEP_MS'
>;
