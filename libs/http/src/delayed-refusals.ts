import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const MIN_DELAY_MS = 250;
/** Added to the delay of a refusal for each other refusal of the tenant that is being delayed. */
const DELAY_PER_DELAYED_REFUSAL_MS = 50;
const MAX_DELAY_MS = 1_000;
const MAX_DELAYED_OF_TENANT = 20;
const MAX_DELAYED = 1_000;

/**
 * Delays refusals, because a client that repeats a refused request at once would otherwise use a
 * processor that all tenants share. When many refusals of a tenant are delayed already, a further one is answered at once, and
 * its connection is closed.
 */
export class DelayedRefusals {
  private delayed = 0;
  private readonly delayedByTenant = new Map<string, number>();

  constructor(
    private readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<unknown> = (milliseconds, signal) =>
      sleep(milliseconds, undefined, { signal, ref: false }),
  ) {}

  /** Resolves when the refusal may be sent, or as soon as its client disconnects. */
  async delay(tenant: string, response: ServerResponse): Promise<void> {
    const own = this.delayedByTenant.get(tenant) ?? 0;
    if (own >= MAX_DELAYED_OF_TENANT || this.delayed >= MAX_DELAYED) {
      response.setHeader('Connection', 'close');
      return;
    }
    const gone = new AbortController();
    const leave = () => gone.abort();
    response.once('close', leave);
    this.count(tenant, 1);
    try {
      await this.pause(Math.min(MIN_DELAY_MS + own * DELAY_PER_DELAYED_REFUSAL_MS, MAX_DELAY_MS), gone.signal);
    } catch (error) {
      if (!gone.signal.aborted) throw error;
    } finally {
      this.count(tenant, -1);
      response.off('close', leave);
    }
  }

  private count(tenant: string, change: 1 | -1): void {
    const own = (this.delayedByTenant.get(tenant) ?? 0) + change;
    if (own === 0) this.delayedByTenant.delete(tenant);
    else this.delayedByTenant.set(tenant, own);
    this.delayed += change;
  }
}
