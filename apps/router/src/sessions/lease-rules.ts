/**
 * One lease, divided. An agent that hears nothing for the grace stops what it runs; a router keeps a session only while
 * more than grace and margin of its lease is sure to be left. So the agent has stopped before the lease is over and
 * execution gives its instances up, whichever of agent, router, network and database fails.
 */
const GRACE = 0.5;
const MARGIN = 0.1;
const RENEWALS = 5;

export interface LeaseTimes {
  leaseMs: number;
  graceMs: number;
  renewMs: number;
  /** Since the last renewal; past it the session must not go on. */
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

export type LeaseVerdict = 'keep' | 'silent' | 'lapsing';

/** All times in milliseconds of one monotonic clock; `renewedAt` is taken before the database was asked. */
export function judgeLease(
  now: number,
  session: { renewedAt: number; heardAt: number },
  times: LeaseTimes,
): LeaseVerdict {
  if (now - session.renewedAt >= times.trustMs) return 'lapsing';
  return now - session.heardAt >= times.graceMs ? 'silent' : 'keep';
}
