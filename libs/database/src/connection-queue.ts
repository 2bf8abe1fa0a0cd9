import { FairQueue } from '@batuta/async';

/**
 * The part of a pool that the connections of one tenant may be. Every service has a pool, so one tenant may let the database work on several
 * times as many statements at once, and beside these a statement of another tenant waits for a processor.
 */
const TENANT_SHARE = 3 / 10;
/** Enough that a statement which waits for a lock does not hold back the tenant's own next one. */
const MIN_TENANT_CONNECTIONS = 2;
/** The part of the waiting requests that one tenant may have. */
const TENANT_WAITING_SHARE = 1 / 4;

/**
 * The requests that wait for a connection of a pool, and which of them comes next. Tenants take turns, and none has more than
 * its share of the connections, however many requests it sends. Requests without a tenant are work of the service, each of which
 * serves many callers: every second turn is theirs.
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

  taken(tenant: string | undefined): void {
    if (tenant !== undefined) this.inUse.set(tenant, (this.inUse.get(tenant) ?? 0) + 1);
  }

  freed(tenant: string | undefined): void {
    if (tenant === undefined) return;
    const left = (this.inUse.get(tenant) ?? 0) - 1;
    if (left > 0) this.inUse.set(tenant, left);
    else this.inUse.delete(tenant);
  }

  /**
   * Adds a request. Returns the one that is refused for it: the new one, or in a full queue the newest of the tenant with the most
   * requests.
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

  /** Removes and returns the request whose turn it is; undefined when every tenant that waits has its share. */
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
