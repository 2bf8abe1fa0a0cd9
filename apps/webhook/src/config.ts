import { Integer, List, readSettings, SecretKeys, ServiceSettings } from '@batuta/config';
import { Transform } from 'class-transformer';

/** A header's name as HTTP allows it. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

class Settings extends ServiceSettings {
  /** The keys that seal stored secrets, `id:base64` of 32 bytes each: the first seals, all unseal. */
  @SecretKeys()
  SECRET_KEYS!: string;

  /** Interval of the sweeps that remove records of deleted processes and expired leases. */
  @Integer(50, 86_400_000)
  SWEEP_MS = 60_000;

  /** Maximum number of waiting calls of one process over all replicas (contract 8). */
  @Integer(1, 10_000)
  WAITING_CALLS = 50;

  /** Quota of origins of a company (interpretation 55): two for each process of its quota. One process has at most 10. */
  @Integer(1, 1_000_000)
  QUOTA_ORIGINS = 2_000;

  /**
   * Names of further headers that are neither stored nor mapped, separated by commas; headers with credentials never
   * are.
   */
  @Transform(({ value }: { value: string }) => value.toLowerCase())
  @List(HEADER_NAME, 'must be names of headers, separated by commas')
  HIDDEN_HEADERS: string[] = [];
}

export type WebhookConfig = Readonly<Settings>;

/** Throws one Error that names every wrong setting. */
export function readWebhookConfig(env: NodeJS.ProcessEnv): WebhookConfig {
  return readSettings(Settings, env);
}

/** Injection token of the settings that the service's own classes read. */
export const WEBHOOK_CONFIG = Symbol('WEBHOOK_CONFIG');
