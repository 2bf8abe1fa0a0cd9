import { HostList, Integer, List, readSettings, SecretKeys, ServiceSettings } from '@batuta/config';
import { Transform } from 'class-transformer';

/** A header's name as HTTP allows it. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

class Settings extends ServiceSettings {
  /** The keys that seal stored secrets, `id:base64` of 32 bytes each: the first seals, all unseal. */
  @SecretKeys()
  SECRET_KEYS!: string;

  /** Interval of the sweeps that remove records of deleted processes, expired leases, and old deliveries of events. */
  @Integer(50, 86_400_000)
  SWEEP_MS = 60_000;

  /** Maximum number of waiting calls of one process over all replicas (contract 8); further calls start it too, and are answered at once. */
  @Integer(1, 10_000)
  WAITING_CALLS = 50;

  /**
   * Quota of origins of a company (interpretation 55): two for each process that its quota of processes allows. One
   * process has at most 10.
   */
  @Integer(1, 1_000_000)
  QUOTA_ORIGINS = 2_000;

  /**
   * Names of headers that are neither stored nor mapped, separated by commas, besides headers with credentials, which
   * always are left out.
   */
  @Transform(({ value }: { value: string }) => value.toLowerCase())
  @List(HEADER_NAME, 'must be names of headers, separated by commas')
  HIDDEN_HEADERS: string[] = [];

  /** Quota of event subscriptions of a company. */
  @Integer(1, 1_000)
  QUOTA_EVENT_SUBSCRIPTIONS = 20;

  /** Hosts without a public address, or without TLS, that may get events: names, addresses or networks, separated by commas. */
  @HostList()
  EVENT_ALLOW_HOSTS: string[] = [];

  /** Hosts that never get events: names, addresses or networks, separated by commas. */
  @HostList()
  EVENT_DENY_HOSTS: string[] = [];

  /** Interval at which each replica looks for due deliveries of events. */
  @Integer(50, 60_000)
  EVENT_TICK_MS = 1_000;

  /** Time limit of one attempt to deliver an event, from the resolution of the name to the answer. */
  @Integer(100, 30_000)
  EVENT_TIMEOUT_MS = 10_000;

  /** Maximum number of waiting deliveries of one subscription; a sweep gives up the oldest ones above it, unsent. */
  @Integer(100, 1_000_000)
  EVENT_BACKLOG = 10_000;
}

export type WebhookConfig = Readonly<Settings>;

/** Throws one Error that names every wrong setting. */
export function readWebhookConfig(env: NodeJS.ProcessEnv): WebhookConfig {
  return readSettings(Settings, env);
}

/** Injection token of the settings that the service's own classes read. */
export const WEBHOOK_CONFIG = Symbol('WEBHOOK_CONFIG');
