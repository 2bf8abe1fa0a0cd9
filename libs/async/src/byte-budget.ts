export interface ByteLimits {
  totalBytes: number;
  /** The limit of one tenant; without it only the total is limited. */
  perTenantBytes?: number;
  /** The limit of a group of tenants together, such as the environments of one company. */
  perGroup?: { bytes: number; groupOf(tenant: string): string };
}

/** Which limit a request exceeds: `tenant` is the share of its tenant or of the tenant's group, `total` the whole budget. */
export type ExceededLimit = 'tenant' | 'total';

export interface Reservation {
  readonly bytes: number;
  /**
   * Changes the size of the reservation to `bytes`, even above a limit, because the bytes are in memory already.
   * Returns true if the limits still hold.
   */
  resize(bytes: number): boolean;
  /**
   * Changes the size of the reservation to `bytes` if that many fit beside the other reservations, or if there is no other one. Otherwise
   * it changes nothing and returns the limit that `bytes` exceed. It overtakes requests that wait, because its bytes are in memory already.
   */
  tryResize(bytes: number): ExceededLimit | undefined;
  /** Releases the bytes; further calls have no effect. */
  release(): void;
}

interface WaitingReservation {
  bytes: number;
  admit: (reservation: Reservation) => void;
}

/**
 * Bounds the bytes that are in memory at the same time, per tenant, per group of tenants and in total. A request larger than a limit is
 * admitted once nothing else that counts for this limit is reserved, so that no request waits forever. Requests of one tenant are admitted
 * in order, tenants take turns.
 */
export class ByteBudget {
  private used = 0;
  private readonly usedByTenant = new Map<string, number>();
  private readonly usedByGroup = new Map<string, number>();
  /** The tenants that wait, with their requests, in the order of their turns. */
  private readonly waiting = new Map<string, WaitingReservation[]>();

  constructor(private readonly limits: ByteLimits) {}

  get usedBytes(): number {
    return this.used;
  }

  usedBytesOf(tenant: string): number {
    return this.usedByTenant.get(tenant) ?? 0;
  }

  /**
   * The limit because of which `bytes` cannot be reserved now; undefined if they can. Requests of the tenant that wait come first, and
   * so does any request that waits for the total.
   */
  limitExceededBy(tenant: string, bytes: number): ExceededLimit | undefined {
    if (this.waiting.has(tenant)) return this.exceededLimit(tenant, bytes) ?? 'tenant';
    if (this.hasWaiterForTotal()) return this.exceededLimit(tenant, bytes) ?? 'total';
    return this.exceededLimit(tenant, bytes);
  }

  /** Reserves the bytes at once; undefined if a limit forbids it or other requests come first, as `limitExceededBy` says. */
  tryReserve(tenant: string, bytes: number): Reservation | undefined {
    return this.limitExceededBy(tenant, bytes) ? undefined : this.take(tenant, bytes);
  }

  /** Makes a reservation of 0 bytes, which its holder resizes once it has bytes in memory. Never refuses. */
  hold(tenant: string): Reservation {
    return this.take(tenant, 0);
  }

  /** Reserves the bytes once they fit; rejects with the reason of `signal` if it aborts before. */
  reserve(tenant: string, bytes: number, signal?: AbortSignal): Promise<Reservation> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const reservation = this.tryReserve(tenant, bytes);
      if (reservation) return resolve(reservation);
      const giveUp = () => {
        this.removeWaiter(tenant, waiter);
        this.admitWaiting();
        reject(signal?.reason);
      };
      const waiter: WaitingReservation = {
        bytes,
        admit: (reserved) => {
          signal?.removeEventListener('abort', giveUp);
          resolve(reserved);
        },
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      this.waitersOf(tenant).push(waiter);
    });
  }

  /**
   * Reserves the bytes once they fit; undefined if they do not within `milliseconds`, or if `signal` aborts before. Bytes that fit at once
   * are reserved without a timer, even if `signal` has aborted.
   */
  async reserveWithin(
    tenant: string,
    bytes: number,
    milliseconds: number,
    signal?: AbortSignal,
  ): Promise<Reservation | undefined> {
    const reservation = this.tryReserve(tenant, bytes);
    if (reservation) return reservation;
    // `AbortSignal.timeout` refuses a fraction.
    const inTime = AbortSignal.timeout(Math.ceil(milliseconds));
    return this.reserve(tenant, bytes, signal ? AbortSignal.any([signal, inTime]) : inTime).catch(() => undefined);
  }

  /** `replaced` = the present size of the reservation that is to be resized to `bytes`; 0 for a new one. */
  private exceededLimit(tenant: string, bytes: number, replaced = 0): ExceededLimit | undefined {
    const own = this.usedBytesOf(tenant) - replaced;
    const all = this.used - replaced;
    if (own > 0 && own + bytes > (this.limits.perTenantBytes ?? Infinity)) return 'tenant';
    const ofGroup = this.usedBytesOfGroup(tenant) - replaced;
    if (ofGroup > 0 && ofGroup + bytes > (this.limits.perGroup?.bytes ?? Infinity)) return 'tenant';
    if (all > 0 && all + bytes > this.limits.totalBytes) return 'total';
    return undefined;
  }

  /**
   * Whether a request waits for room in the total. No other request may overtake it, or small requests could delay a
   * large one forever.
   */
  private hasWaiterForTotal(): boolean {
    for (const [tenant, [first]] of this.waiting) {
      if (first && this.exceededLimit(tenant, first.bytes) === 'total') return true;
    }
    return false;
  }

  private take(tenant: string, bytes: number): Reservation {
    let reserved = bytes;
    let released = false;
    const resize = (next: number) => {
      if (!released) {
        this.addUsed(tenant, next - reserved);
        reserved = next;
      }
      this.admitWaiting();
      return this.limitsHold(tenant);
    };
    this.addUsed(tenant, bytes);
    return {
      get bytes() {
        return reserved;
      },
      resize,
      tryResize: (next) => {
        const exceeded = this.exceededLimit(tenant, next, reserved);
        if (!exceeded) resize(next);
        return exceeded;
      },
      release: () => {
        resize(0);
        released = true;
      },
    };
  }

  private addUsed(tenant: string, bytes: number): void {
    addTo(this.usedByTenant, tenant, bytes);
    const { perGroup } = this.limits;
    if (perGroup) addTo(this.usedByGroup, perGroup.groupOf(tenant), bytes);
    this.used += bytes;
  }

  private usedBytesOfGroup(tenant: string): number {
    const { perGroup } = this.limits;
    return perGroup ? (this.usedByGroup.get(perGroup.groupOf(tenant)) ?? 0) : 0;
  }

  private limitsHold(tenant: string): boolean {
    const { totalBytes, perTenantBytes = Infinity, perGroup } = this.limits;
    if (this.usedBytesOf(tenant) > perTenantBytes || this.used > totalBytes) return false;
    return this.usedBytesOfGroup(tenant) <= (perGroup?.bytes ?? Infinity);
  }

  private admitWaiting(): void {
    for (let next = this.nextInTurn(); next; next = this.nextInTurn()) {
      const { tenant, waiter } = next;
      this.removeWaiter(tenant, waiter);
      const rest = this.waiting.get(tenant);
      if (rest) {
        this.waiting.delete(tenant);
        this.waiting.set(tenant, rest);
      }
      waiter.admit(this.take(tenant, waiter.bytes));
    }
  }

  private nextInTurn(): { tenant: string; waiter: WaitingReservation } | undefined {
    for (const [tenant, [waiter]] of this.waiting) {
      if (!waiter) continue;
      const limit = this.exceededLimit(tenant, waiter.bytes);
      if (!limit) return { tenant, waiter };
      if (limit === 'total') return undefined;
    }
    return undefined;
  }

  private waitersOf(tenant: string): WaitingReservation[] {
    const waiters = this.waiting.get(tenant) ?? [];
    this.waiting.set(tenant, waiters);
    return waiters;
  }

  private removeWaiter(tenant: string, waiter: WaitingReservation): void {
    const waiters = this.waiting.get(tenant) ?? [];
    const index = waiters.indexOf(waiter);
    if (index >= 0) waiters.splice(index, 1);
    if (waiters.length === 0) this.waiting.delete(tenant);
  }
}

function addTo(used: Map<string, number>, key: string, bytes: number): void {
  const sum = (used.get(key) ?? 0) + bytes;
  if (sum === 0) used.delete(key);
  else used.set(key, sum);
}
