/**
 * Shares of a lease. An agent that receives nothing for the grace period begins no further effect, and a router keeps a
 * session only while more than grace period plus margin of its lease certainly remain. Whichever of agent, router,
 * network and database fails, the agent's instances are therefore suspended before the lease expires and execution
 * requeues or ends them.
 */
const GRACE_SHARE = 0.5;
const MARGIN_SHARE = 0.1;
const RENEWALS_PER_LEASE = 5;
/**
 * Longest time for which one observation proves that leases are kept; with a short lease that time is shorter: as long as a renewal is trusted.
 * An agent that is disconnected by an outage of less than this time resumes its session within the rest of its lease.
 */
const MAX_HEALTH_MS = 5_000;
const OBSERVATIONS_PER_HEALTH = 4;

export interface LeaseTimes {
  leaseMs: number;
  /** Grace period: an agent without contact for this time begins no further effect, and the router ends its session. */
  graceMs: number;
  renewIntervalMs: number;
  /** Maximum age of the last renewal; a session whose last renewal is older must end. */
  renewalTrustedMs: number;
  /** Maximum age of the last observation that leases can be renewed and sessions resumed; without one no lease expires. */
  healthMs: number;
  observeIntervalMs: number;
}

export function leaseTimes(leaseSeconds: number): LeaseTimes {
  const leaseMs = leaseSeconds * 1_000;
  const renewalTrustedMs = leaseMs * (1 - GRACE_SHARE - MARGIN_SHARE);
  const healthMs = Math.min(renewalTrustedMs, MAX_HEALTH_MS);
  return {
    leaseMs,
    graceMs: leaseMs * GRACE_SHARE,
    renewIntervalMs: leaseMs / RENEWALS_PER_LEASE,
    renewalTrustedMs,
    healthMs,
    observeIntervalMs: healthMs / OBSERVATIONS_PER_HEALTH,
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
  if (now - session.renewedAt >= times.renewalTrustedMs) return 'lapsing';
  return now - session.lastFrameAt >= times.graceMs ? 'silent' : 'sound';
}
