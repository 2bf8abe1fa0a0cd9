import { Integer, readSettings, ServiceSettings, TrustedProxies } from '@batuta/config';

class Settings extends ServiceSettings {
  /**
   * Lease of an agent's session, counted from the last renewal. When the lease expires, execution requeues or ends the
   * instances of the session.
   */
  @Integer(2, 3_600)
  LEASE_SECONDS = 20;

  /**
   * Interval at which agents are asked to send heartbeats. At most a quarter of the lease, so that one late heartbeat
   * is harmless.
   */
  @Integer(1, 900)
  HEARTBEAT_SECONDS = 5;

  /** Time limit of a new connection's first frame, and of each step at the database and at execution that then opens its session. */
  @Integer(1, 60)
  HELLO_SECONDS = 10;

  /** Time limit of one message of an agent, from its first byte to its last, and of its wait for memory. */
  @Integer(1, 600)
  FRAME_SECONDS = 10;

  /**
   * An instance whose offer is not accepted within this time is requeued; there is a second more for each 125,000 bytes of unanswered offers, at
   * most 7.5 seconds more. With these 7.5 seconds below `CLAIM_SECONDS` of execution.
   */
  @Integer(1, 60)
  OFFER_SECONDS = 5;

  /**
   * Duration of a claim's long poll, and interval at which queues and desired states are polled without a notification. Below the time that NATS
   * nodes leave to calls when they stop (`lame_duck_grace_period`).
   */
  @Integer(50, 60_000)
  POLL_MS = 2_000;

  /** Interval at which keys, capacities and the existence of connected environments are checked again. */
  @Integer(50, 60_000)
  ENVIRONMENTS_MS = 5_000;

  /** Interval of the sweep that removes rows of sessions that ended long ago. */
  @Integer(50, 86_400_000)
  SWEEP_MS = 600_000;

  /** Maximum number of sessions of one environment at one replica. */
  @Integer(1, 10_000)
  ENVIRONMENT_SESSIONS = 100;

  /** Maximum number of connections of the agents of one company at one replica. The default is a tenth of CONNECTIONS. */
  @Integer(1, 100_000)
  COMPANY_CONNECTIONS = 1_000;

  /** Maximum number of connections of all agents at one replica. */
  @Integer(1, 100_000)
  CONNECTIONS = 10_000;

  /** Missing or unknown activation keys per minute and address at one replica before that address is refused for the rest of the minute. */
  @Integer(1, 100_000)
  FAILING_KEYS_PER_MINUTE = 300;

  /** The proxies whose `X-Forwarded-For` is trusted: their number, or their networks separated by commas. */
  @TrustedProxies()
  TRUST_PROXY: number | string[] = 0;
}

export type RouterConfig = Readonly<Settings>;
/** Injection token of the settings, a RouterConfig. */
export const ROUTER_CONFIG = Symbol('ROUTER_CONFIG');

/** Throws one Error that names every wrong setting; a HEARTBEAT_SECONDS too long for the lease only when all others are right. */
export function readRouterConfig(env: NodeJS.ProcessEnv): RouterConfig {
  const config = readSettings(Settings, env);
  if (config.HEARTBEAT_SECONDS * 4 > config.LEASE_SECONDS) {
    throw new Error('Settings are wrong:\n  HEARTBEAT_SECONDS: must be at most a quarter of LEASE_SECONDS');
  }
  return config;
}
