import { entryLimit } from '@batuta/async';
import { REPLICA_NOTICE_MS, type ReplicaNotice } from '@batuta/contracts';
import { LRUCache } from 'lru-cache';
import { createHash } from 'node:crypto';

/** A replica that has not announced itself for this time counts as gone. */
const REPLICA_TIME_TO_LIVE_MS = 3.5 * REPLICA_NOTICE_MS;
/** How long the requests of a tenant avoid its replica after the replica could not carry out a request. */
const AVOIDED_FOR_MS = 5_000;
const MAX_REMEMBERED_TENANTS = 10_000;

/**
 * The replicas of a service, and the one of them that receives the requests of a tenant: by rendezvous hashing, so that all senders choose the
 * same one, and only the tenants of a replica that is gone move to others.
 */
export class Replicas {
  /** When each replica last announced itself, on the monotonic clock. */
  private readonly announcedAt = new Map<string, number>();
  private readonly chosen = new LRUCache<string, string>(entryLimit(MAX_REMEMBERED_TENANTS));
  /** The tenants whose requests avoid their replica, `until` a time on the monotonic clock. `silent` is the replica that gets none of them. */
  private readonly avoided = new LRUCache<string, { until: number; silent?: string }>(
    entryLimit(MAX_REMEMBERED_TENANTS),
  );

  announce({ replica }: ReplicaNotice): void {
    const isNew = !this.announcedAt.has(replica);
    this.announcedAt.set(replica, performance.now());
    if (isNew) this.chosen.clear();
  }

  /** The replica that receives the requests of the tenant; undefined when they go to any replica. */
  of(tenant: string): string | undefined {
    const now = performance.now();
    for (const [replica, at] of this.announcedAt) if (now - at > REPLICA_TIME_TO_LIVE_MS) this.forget(replica);
    const avoiding = this.avoided.get(tenant);
    if (avoiding && now < avoiding.until)
      return avoiding.silent === undefined ? undefined : this.choose(tenant, avoiding.silent);
    const chosen = this.chosen.get(tenant) ?? this.choose(tenant);
    if (chosen !== undefined) this.chosen.set(tenant, chosen);
    return chosen;
  }

  /** The replica receives nothing: until it announces itself again, its tenants belong to others. */
  forget(replica: string): void {
    if (this.announcedAt.delete(replica)) this.chosen.clear();
  }

  /** After a reconnection all announcements are forgotten, and requests go to any replica until replicas announce themselves again. */
  forgetAll(): void {
    this.announcedAt.clear();
    this.chosen.clear();
  }

  /**
   * Called when the tenant's replica could not carry out a request. For five seconds the tenant's requests go to any replica, or to one other
   * than `silent`, the replica that did not reply. Other tenants keep their replica: this tenant's own requests may be what overloads it.
   */
  avoid(tenant: string, silent?: string): void {
    this.avoided.set(tenant, { until: performance.now() + AVOIDED_FOR_MS, silent });
  }

  private choose(tenant: string, excluded?: string): string | undefined {
    const [first] = [...this.announcedAt.keys()]
      .filter((replica) => replica !== excluded)
      .map((replica) => ({ replica, weight: weightOf(replica, tenant) }))
      .toSorted((one, other) => (one.weight < other.weight ? 1 : -1));
    return first?.replica;
  }
}

function weightOf(replica: string, tenant: string): string {
  return createHash('sha256').update(`${replica} ${tenant}`).digest('hex');
}
