/**
 * Shares of a lease. An agent that receives nothing for the grace period stops its instances, and a router keeps a
 * session only while more than grace period plus margin of its lease certainly remain. So the agent has stopped its
 * instances before the lease expires and execution requeues or ends them, whichever of agent, router, network and
 * database fails.
 */
const GRACE_SHARE = 0.5;
const MARGIN_SHARE = 0.1;
const RENEWALS_PER_LEASE = 5;

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
    graceMs: leaseMs * GRACE_SHARE,
    renewMs: leaseMs / RENEWALS_PER_LEASE,
    trustMs: leaseMs * (1 - GRACE_SHARE - MARGIN_SHARE),
  };
}

/** `silent`: the agent sent nothing for its grace period. `lapsing`: the lease is about to expire. */
export type LeaseCondition = 'sound' | 'silent' | 'lapsing';

/**
 * The condition of a session. All times are milliseconds of one monotonic clock; `renewedAt` is read before the
 * database is called.
 */
export function leaseCondition(
  now: number,
  session: { renewedAt: number; lastFrameAt: number },
  times: LeaseTimes,
): LeaseCondition {
  if (now - session.renewedAt >= times.trustMs) return 'lapsing';
  return now - session.lastFrameAt >= times.graceMs ? 'silent' : 'sound';
}
