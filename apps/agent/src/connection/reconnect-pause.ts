import { backoffMilliseconds, type Backoff } from '@batuta/async';
import type { Refuser } from './refusal';

export interface ReconnectSettings {
  backoff: Backoff;
  /**
   * Milliseconds until the next attempt after a refusal, for an agent that a router has accepted before, and the longest pause that a router
   * may ask for.
   */
  refusedMs: number;
}

/** In milliseconds. */
export const RECONNECT_DEFAULTS: ReconnectSettings = {
  backoff: { first: 500, longest: 30_000 },
  refusedMs: 60_000,
};

/** Attempts within the grace period while the agent holds instances. */
const ATTEMPTS_PER_GRACE = 4;

/** Time limit of an attempt to connect, until the router has answered the upgrade request. */
const ATTEMPT_TIME_LIMIT_MS = 10_000;
/**
 * Time limit of an attempt while the agent holds instances, after the first failure since a heartbeat; each further failure adds as much, up to
 * ATTEMPT_TIME_LIMIT_MS.
 */
const RESUME_ATTEMPT_TIME_LIMIT_MS = 2_500;

/**
 * Milliseconds that the next attempt to connect may take. An attempt that hangs, such as one that a load balancer sends to a machine that is
 * gone, must not take the time in which another attempt could resume the instances. The limit grows, so that a slow network is enough in the end.
 */
export function attemptLimitMs(failures: number, hasInstances: boolean): number {
  return hasInstances
    ? Math.min(failures * RESUME_ATTEMPT_TIME_LIMIT_MS, ATTEMPT_TIME_LIMIT_MS)
    : ATTEMPT_TIME_LIMIT_MS;
}

export interface LostConnection {
  /** Who refused the agent for a cause that usually lasts; undefined if nobody did. */
  refusedBy: Refuser | undefined;
  /**
   * The pause in milliseconds that the router asks for; 0 = none. The agent waits at most `refusedMs` of it, and none of it while it holds
   * instances.
   */
  retryAfterMs: number;
  /** Number of connections that ended or failed since the last heartbeat of the router; the latest one is counted. */
  failures: number;
  /** Grace period of the lost session while the agent holds instances; undefined when the agent holds none. */
  graceMs: number | undefined;
}

/** Milliseconds until the next attempt to connect. `random` is from 0 to 1. */
export function reconnectPauseMs(
  { refusedBy, retryAfterMs, failures, graceMs }: LostConnection,
  { backoff, refusedMs }: ReconnectSettings,
  random: number,
): number {
  // A proxy may refuse for a moment while routers are updated; the pause of a refusal would cost the agent its instances.
  const mayResume = refusedBy === 'proxy' && graceMs !== undefined;
  if (refusedBy && !mayResume) return refusedMs;
  const longest = Math.min(backoff.longest, graceMs === undefined ? Infinity : graceMs / ATTEMPTS_PER_GRACE);
  const pause = backoffMilliseconds(failures, { ...backoff, longest }, random);
  // An agent that holds instances does not wait as long as the router asks, because it would lose them.
  if (graceMs !== undefined) return pause;
  // The varying pause is added, so that agents that were refused together reconnect one after the other.
  return Math.min(retryAfterMs, refusedMs) + pause;
}
