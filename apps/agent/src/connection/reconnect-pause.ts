import { backoffMilliseconds, type Backoff } from '@batuta/async';

export interface ReconnectSettings {
  backoff: Backoff;
  /** Pause after a refusal by a router that accepted this agent before. */
  refusedMs: number;
}

export const RECONNECT_DEFAULTS: ReconnectSettings = {
  backoff: { first: 500, longest: 30_000 },
  refusedMs: 60_000,
};

/** Attempts within the grace period while the agent holds instances. */
const ATTEMPTS_PER_GRACE = 4;

export interface LostConnection {
  refused: boolean;
  /** Connections lost in a row, this one included. */
  failures: number;
  /** Grace period of a session with instances; undefined when the agent holds none. */
  graceMs: number | undefined;
}

/** Milliseconds until the next attempt to connect. `random` is from 0 to 1. */
export function reconnectPauseMs(
  { refused, failures, graceMs }: LostConnection,
  { backoff, refusedMs }: ReconnectSettings,
  random: number,
): number {
  if (refused) return refusedMs;
  const longest = Math.min(backoff.longest, graceMs === undefined ? Infinity : graceMs / ATTEMPTS_PER_GRACE);
  return backoffMilliseconds(failures, { ...backoff, longest }, random);
}
