import { FairQueue } from '@batuta/async';

/**
 * Share of a pool's connections that one tenant may use. It is small because every service has a pool: a tenant that uses its share of
 * several pools occupies many processors of the database, and statements of other tenants wait for one.
 */
const TENANT_SHARE = 3 / 10;
/** More than one, so that a statement which waits for a lock does not hold back the tenant's own next statement. */
const MIN_TENANT_CONNECTIONS = 2;
/** Share of the waiting requests that one tenant may have. */
const TENANT_WAITING_SHARE = 1 / 4;

/**
 * The requests that wait for a connection of a pool, in the order in which they get one. Tenants take turns, and none has more than
 * its share of the connections, however many requests it sends. A request without a tenant is work of the service, such as a batch,
 * and serves many callers: every second turn goes to a request without a tenant, if one waits.
 */
export class ConnectionQueue<Request extends { tenant: string | undefined }> {
  private readonly inUse = new Map<string, number>();
  private readonly ofTenants = new FairQueue<Request>();
  private readonly ofService = new Set<Request>();
  private readonly connectionsPerTenant: number;
  private readonly waitingPerTenant: number;
  private isServiceNext = true;

  constructor(
    connections: number,
    private readonly maxWaiting: number,
  ) {
    this.connectionsPerTenant = Math.max(MIN_TENANT_CONNECTIONS, Math.floor(connections * TENANT_SHARE));
    this.waitingPerTenant = Math.max(1, Math.floor(maxWaiting * TENANT_WAITING_SHARE));
  }

  get size(): number {
    return this.ofTenants.size + this.ofService.size;
  }

  /** Whether the tenant has fewer connections in use than its share. */
  mayTake(tenant: string | undefined): boolean {
    return tenant === undefined || (this.inUse.get(tenant) ?? 0) < this.connectionsPerTenant;
  }

  /** Counts a connection that the tenant has taken. */
  recordTake(tenant: string | undefined): void {
    if (tenant !== undefined) this.inUse.set(tenant, (this.inUse.get(tenant) ?? 0) + 1);
  }

  /** No longer counts a connection of the tenant. */
  recordRelease(tenant: string | undefined): void {
    if (tenant === undefined) return;
    const left = (this.inUse.get(tenant) ?? 0) - 1;
    if (left > 0) this.inUse.set(tenant, left);
    else this.inUse.delete(tenant);
  }

  /**
   * Adds a request. Returns the request that must be refused, if any: the new one when its tenant has its share of the queue. In a full queue it
   * is the newest request of the tenant with the most, if that tenant has more than the new request's tenant (or the service) would have with
   * it; otherwise the new one.
   */
  add(request: Request): Request | undefined {
    const { tenant } = request;
    const own = tenant === undefined ? this.ofService.size : this.ofTenants.sizeOf(tenant);
    if (tenant !== undefined && own >= this.waitingPerTenant) return request;
    const refused = this.size < this.maxWaiting ? undefined : (this.ofTenants.removeFromLongest(own + 1) ?? request);
    if (refused === request) return request;
    if (tenant === undefined) this.ofService.add(request);
    else this.ofTenants.add(tenant, request);
    return refused;
  }

  remove(request: Request): void {
    if (request.tenant === undefined) this.ofService.delete(request);
    else this.ofTenants.remove(request.tenant, request);
  }

  /** Removes and returns the request whose turn it is; undefined when none waits, or every waiting tenant uses its share of connections. */
  next(): Request | undefined {
    const request = this.isServiceNext
      ? (this.nextOfService() ?? this.nextOfTenants())
      : (this.nextOfTenants() ?? this.nextOfService());
    if (request) this.isServiceNext = request.tenant !== undefined;
    return request;
  }

  removeAll(): Request[] {
    const all = [...this.ofService, ...this.ofTenants];
    for (const request of all) this.remove(request);
    return all;
  }

  private nextOfService(): Request | undefined {
    const [oldest] = this.ofService;
    if (oldest) this.ofService.delete(oldest);
    return oldest;
  }

  private nextOfTenants(): Request | undefined {
    return this.ofTenants.next((tenant) => this.mayTake(tenant));
  }
}
