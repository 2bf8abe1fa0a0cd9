/**
 * How one lease is divided. An agent that receives nothing for the grace period stops its instances; a router keeps a
 * session only while more than grace and margin of its lease are certain to be left. The agent has therefore stopped
 * before the lease expires and execution gives its instances up, whether agent, router, network or database fails.
 */
const GRACE = 0.5;
const MARGIN = 0.1;
const RENEWALS = 5;

export interface LeaseTimes {
  leaseMs: number;
  graceMs: number;
  renewMs: number;
  /** Maximum age of the last renewal; an older session must end. */
  trustMs: number;
}

export function leaseTimes(leaseSeconds: number): LeaseTimes {
  const leaseMs = leaseSeconds * 1_000;
  return {
    leaseMs,
    graceMs: leaseMs * GRACE,
    renewMs: leaseMs / RENEWALS,
    trustMs: leaseMs * (1 - GRACE - MARGIN),
  };
}

/** `silent`: the agent sent nothing for its grace period. `lapsing`: the lease is about to expire. */
export type LeaseCondition = 'sound' | 'silent' | 'lapsing';

/** All times are milliseconds of one monotonic clock; `renewedAt` is taken before the database is called. */
export function leaseCondition(
  now: number,
  session: { renewedAt: number; lastFrameAt: number },
  times: LeaseTimes,
): LeaseCondition {
  if (now - session.renewedAt >= times.trustMs) return 'lapsing';
  return now - session.lastFrameAt >= times.graceMs ? 'silent' : 'sound';
}
