import { integer, readSettings, serviceSettings, trustedProxies } from '@batuta/config';
import type { z } from 'zod';

const settings = {
  ...serviceSettings,
  /** For how long a session is an agent's after the last renewal; then what it runs is given up. */
  LEASE_SECONDS: integer(2, 3_600).default(20),
  /** How often agents are told to speak. At most a quarter of the lease, so that one late heartbeat costs nothing. */
  HEARTBEAT_SECONDS: integer(1, 900).default(5),
  HELLO_SECONDS: integer(1, 60).default(10),
  /** An offer that is not accepted for so long goes back to the queue. */
  OFFER_SECONDS: integer(1, 60).default(5),
  /** How long a claim waits for work, and how often queues and wanted states are looked at when no hint came. */
  POLL_MS: integer(50, 60_000).default(2_000),
  /** How often keys, capacities and the existence of the connected environments are looked at again. */
  ENVIRONMENTS_MS: integer(50, 60_000).default(5_000),
  /** How often rows of sessions that ended long ago are removed. */
  SWEEP_MS: integer(50, 86_400_000).default(600_000),
  /** Sessions that one environment may have at one replica. */
  ENVIRONMENT_SESSIONS: integer(1, 10_000).default(100),
  /** Connections of all agents that one replica takes. */
  CONNECTIONS: integer(1, 100_000).default(10_000),
  /** Refused activation keys of one address a minute, before further tries of it wait. */
  FAILING_KEYS_PER_MINUTE: integer(1, 100_000).default(300),
  TRUST_PROXY: trustedProxies,
};

export type RouterConfig = z.infer<z.ZodObject<typeof settings>>;

export const ROUTER_SETTINGS = settings;

export function readRouterConfig(env: NodeJS.ProcessEnv): RouterConfig {
  const config = readSettings(settings, env);
  if (config.HEARTBEAT_SECONDS * 4 > config.LEASE_SECONDS) {
    throw new Error('Settings are wrong:\n  HEARTBEAT_SECONDS: must be at most a quarter of LEASE_SECONDS');
  }
  return config;
}
