import { REPLICA_NOTICE_MS, type ReplicaNotice } from '@batuta/contracts';
import { LRUCache } from 'lru-cache';
import { createHash } from 'node:crypto';

/** A replica that has not announced itself for so long is gone. */
const REPLICA_LIFE_MS = 3.5 * REPLICA_NOTICE_MS;
/** How long the requests of a tenant go to any replica, after its own one could not carry out a request. */
const DETOUR_MS = 5_000;
const TENANTS_REMEMBERED = 10_000;

/**
 * The replicas of a service, and the one of them that receives the requests of a tenant: by rendezvous hashing, so that all senders choose the
 * same one, and only the tenants of a replica that is gone move to others.
 */
export class Replicas {
  /** When each replica last announced itself, on the monotonic clock. */
  private readonly announcedAt = new Map<string, number>();
  private readonly chosen = new LRUCache<string, string>({ max: TENANTS_REMEMBERED });
  /** Until when the requests of a tenant go to any replica, on the monotonic clock. */
  private readonly detours = new LRUCache<string, number>({ max: TENANTS_REMEMBERED });

  announce({ replica }: ReplicaNotice): void {
    const isNew = !this.announcedAt.has(replica);
    this.announcedAt.set(replica, performance.now());
    if (isNew) this.chosen.clear();
  }

  /** Undefined when the requests of the tenant go to any replica. */
  of(tenant: string): string | undefined {
    const now = performance.now();
    if (now < (this.detours.get(tenant) ?? 0)) return undefined;
    const known = this.chosen.get(tenant);
    if (known !== undefined && this.isThere(known, now)) return known;
    for (const replica of this.announcedAt.keys()) if (!this.isThere(replica, now)) this.forget(replica);
    const [first] = [...this.announcedAt.keys()]
      .map((replica) => ({ replica, weight: weightOf(replica, tenant) }))
      .toSorted((one, other) => (one.weight < other.weight ? 1 : -1));
    if (first) this.chosen.set(tenant, first.replica);
    return first?.replica;
  }

  /** The replica does not reply: until it announces itself again, its tenants belong to others. */
  forget(replica: string): void {
    if (this.announcedAt.delete(replica)) this.chosen.clear();
  }

  /** Until replicas announce themselves again, requests go to any: what is known of them is from another connection. */
  forgetAll(): void {
    this.announcedAt.clear();
    this.chosen.clear();
  }

  /** The tenant's replica could not carry out a request, which another replica perhaps can. */
  avoid(tenant: string): void {
    this.detours.set(tenant, performance.now() + DETOUR_MS);
  }

  private isThere(replica: string, now: number): boolean {
    return now - (this.announcedAt.get(replica) ?? -Infinity) <= REPLICA_LIFE_MS;
  }
}

function weightOf(replica: string, tenant: string): string {
  return createHash('sha256').update(`${replica} ${tenant}`).digest('hex');
}
