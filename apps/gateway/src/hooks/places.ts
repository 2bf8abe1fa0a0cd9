import { webhook, type RequestOf } from '@batuta/contracts';
import type { Rpc } from '@batuta/messaging';
import { withRequestID } from '@batuta/observability';
import type { OnApplicationShutdown } from '@nestjs/common';

const MOST_AT_ONCE = 1_000;
const RELEASE_MILLISECONDS = 1_000;

/** The places of waiting calls, of which a process has so many over all replicas (reading 29). */
export class Places implements OnApplicationShutdown {
  private readonly left = new Set<string>();
  private releasing: Promise<void> | undefined;

  constructor(
    private readonly rpc: Pick<Rpc, 'call'>,
    /** How long it may take to get one. */
    private readonly milliseconds: number,
  ) {}

  /** Whether there is one. A webhook service that is away has none to give. */
  async take(call: RequestOf<typeof webhook.wait>): Promise<boolean> {
    try {
      const { granted } = await this.rpc.call(webhook.wait, call, { timeout: this.milliseconds });
      return granted;
    } catch {
      // It may have been given, and the answer lost.
      this.release(call.instanceID);
      return false;
    }
  }

  /** Gives it back, in the background: the lease of a place that is lost here ends by itself. */
  release(instanceID: string): void {
    this.left.add(instanceID);
    this.releasing ??= withRequestID(undefined, () => this.releaseAll());
  }

  async onApplicationShutdown(): Promise<void> {
    await this.releasing;
  }

  // One question at a time: what is left meanwhile goes with the next.
  private async releaseAll(): Promise<void> {
    while (this.left.size > 0) {
      const instanceIDs = [...this.left].slice(0, MOST_AT_ONCE);
      for (const instanceID of instanceIDs) this.left.delete(instanceID);
      await this.rpc.call(webhook.release, { instanceIDs }, { timeout: RELEASE_MILLISECONDS }).catch(() => {});
    }
    this.releasing = undefined;
  }
}
