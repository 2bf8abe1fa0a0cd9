import { PERMIT_LEASE_SECONDS } from '@batuta/contracts';

const LEASE_MS = PERMIT_LEASE_SECONDS * 1_000;
/**
 * A renewal is due once the lease has less than this time left, which is three seconds after the last renewal; the rest is for retries of
 * a renewal that fails.
 */
const RENEW_BEFORE_EXPIRY_MS = LEASE_MS - 3_000;

/**
 * The permits of one process that this replica leases from the webhook service. Times are of performance.now().
 *
 *     leased ──▶ free ──take──▶ in use ──release──▶ free ──(unused between two sweeps)──▶ returned
 *
 * When the lease expires, or the webhook service reports its loss, all permits are lost together: the next generation begins
 * without any, and the current users continue without a permit and release none.
 */
export interface PermitLease {
  /** The number of permits of the lease, free and in use. */
  readonly held: number;
  readonly free: number;
  /** How many of the free permits have not been used since the last sweep. */
  readonly idle: number;
  readonly expiresAt: number;
  /** How often the lease was lost: a permit of an earlier generation releases nothing. */
  readonly generation: number;
  /**
   * Whether the webhook service may count more permits for this replica than `held`, because a reply was lost; the next renewal
   * corrects it.
   */
  readonly isSuspect: boolean;
}

export const NO_PERMITS: PermitLease = { held: 0, free: 0, idle: 0, expiresAt: 0, generation: 0, isSuspect: false };

/**
 * The webhook service leased `count` more permits on a request sent at `requestedAt`, which also renewed the lease. A reply without permits
 * renews nothing.
 */
export function addPermits(lease: PermitLease, count: number, requestedAt: number): PermitLease {
  if (count === 0) return lease;
  return { ...lease, held: lease.held + count, free: lease.free + count, expiresAt: requestedAt + LEASE_MS };
}

/** Takes a permit into use; the caller has checked that one is free. */
export function takePermit(lease: PermitLease): PermitLease {
  const free = lease.free - 1;
  return { ...lease, free, idle: Math.min(lease.idle, free) };
}

/** Frees a permit that was in use; the caller has checked that the permit is of the present generation. */
export function releasePermit(lease: PermitLease): PermitLease {
  return { ...lease, free: lease.free + 1 };
}

/**
 * Gives up the idle permits. `renewalDue` is true if the webhook service must learn the new number, or the lease must be
 * renewed.
 */
export function sweepIdlePermits(lease: PermitLease, now: number): { lease: PermitLease; renewalDue: boolean } {
  const held = lease.held - lease.idle;
  const free = lease.free - lease.idle;
  const expiresSoon = held > 0 && lease.expiresAt - now < RENEW_BEFORE_EXPIRY_MS;
  return {
    lease: { ...lease, held, free, idle: free, isSuspect: false },
    renewalDue: lease.isSuspect || lease.idle > 0 || expiresSoon,
  };
}

/** Records that the webhook service confirmed the renewal sent at `sentAt`, from which the lease lasts LEASE_MS. Sends nothing. */
export function recordRenewal(lease: PermitLease, sentAt: number): PermitLease {
  return { ...lease, expiresAt: sentAt + LEASE_MS };
}

/** After a request or a renewal without a reply: the permits stay, and the next sweep renews the lease. */
export function suspectPermitLease(lease: PermitLease): PermitLease {
  return { ...lease, isSuspect: true };
}

/** Begins the next generation, without permits. It is suspect, so that the next sweep renews the lease. */
export function loseLease({ generation, expiresAt }: PermitLease): PermitLease {
  return { held: 0, free: 0, idle: 0, expiresAt, generation: generation + 1, isSuspect: true };
}

/** Loses the permits of a lease that has ended; a lease without permits stays as it is. */
export function loseIfExpired(lease: PermitLease, now: number): PermitLease {
  return lease.held > 0 && now >= lease.expiresAt ? loseLease(lease) : lease;
}
