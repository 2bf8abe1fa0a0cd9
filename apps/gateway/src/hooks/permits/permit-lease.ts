import { PERMIT_LEASE_SECONDS } from '@batuta/contracts';

const LEASE_MS = PERMIT_LEASE_SECONDS * 1_000;
/** A renewal is due after three seconds, which leaves time to retry it before the lease expires. */
const RENEW_BEFORE_EXPIRY_MS = LEASE_MS - 3_000;

/**
 * The permits of one process that this replica leases from the webhook service. Times are of performance.now().
 *
 *     granted ──▶ free ──take──▶ in use ──release──▶ free ──(unused between two sweeps)──▶ returned
 *
 * When the lease expires, or the service reports its loss, all permits are lost together: the next generation begins
 * without any, and the current users continue without a permit and release none.
 */
export interface PermitLease {
  /** The number of permits, free or in use. */
  readonly held: number;
  readonly free: number;
  /** The number of free permits that have been free since the last sweep. */
  readonly idle: number;
  readonly expiresAt: number;
  readonly generation: number;
  /** The service may count more permits for this replica than `held`; the next renewal corrects it. */
  readonly suspect: boolean;
}

export const NO_PERMITS: PermitLease = { held: 0, free: 0, idle: 0, expiresAt: 0, generation: 0, suspect: false };

/** The service added permits on a request sent at `requestedAt`; a grant also renews the lease. */
export function granted(lease: PermitLease, count: number, requestedAt: number): PermitLease {
  if (count === 0) return lease;
  return { ...lease, held: lease.held + count, free: lease.free + count, expiresAt: requestedAt + LEASE_MS };
}

/** There must be a free permit. */
export function taken(lease: PermitLease): PermitLease {
  const free = lease.free - 1;
  return { ...lease, free, idle: Math.min(lease.idle, free) };
}

export function released(lease: PermitLease): PermitLease {
  return { ...lease, free: lease.free + 1 };
}

/** Returns the idle permits. `renewalDue`: the service must learn the new number, or the lease needs another term. */
export function swept(lease: PermitLease, now: number): { lease: PermitLease; renewalDue: boolean } {
  const held = lease.held - lease.idle;
  const free = lease.free - lease.idle;
  const expiresSoon = held > 0 && lease.expiresAt - now < RENEW_BEFORE_EXPIRY_MS;
  return {
    lease: { ...lease, held, free, idle: free, suspect: false },
    renewalDue: lease.suspect || lease.idle > 0 || expiresSoon,
  };
}

/** The service confirmed a renewal sent at `sentAt`. */
export function renewed(lease: PermitLease, sentAt: number): PermitLease {
  return { ...lease, expiresAt: sentAt + LEASE_MS };
}

export function suspected(lease: PermitLease): PermitLease {
  return { ...lease, suspect: true };
}

export function lost({ generation, expiresAt }: PermitLease): PermitLease {
  return { held: 0, free: 0, idle: 0, expiresAt, generation: generation + 1, suspect: true };
}

export function lostIfExpired(lease: PermitLease, now: number): PermitLease {
  return lease.held > 0 && now >= lease.expiresAt ? lost(lease) : lease;
}
