import { notifications } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';

/** A notification may be lost, so a stream polls after this time without one. */
const POLL_MS = 2_000;
const MAX_STREAMS = 1_000;

/** The open event streams of this replica. It subscribes to notifications only while a stream is open. */
@Injectable()
export class EventStreams implements OnModuleDestroy {
  private readonly streams = new Set<AbortController>();
  /** The streams that wait for a change, by instance. */
  private readonly waiting = new Map<string, Set<() => void>>();
  private unsubscribe: (() => void) | undefined;

  constructor(private readonly rpc: Rpc) {}

  /** The signal of the stream aborts when the gateway stops. Throws UNAVAILABLE above MAX_STREAMS. */
  open(): AbortController {
    if (this.streams.size >= MAX_STREAMS)
      throw new ApiError('UNAVAILABLE', 'Too many event streams are open; try again.');
    const stream = new AbortController();
    this.streams.add(stream);
    this.unsubscribe ??= this.rpc.subscribe(notifications.instancesChanged, ({ instanceIDs }) =>
      instanceIDs.forEach((id) => this.wake(id)),
    );
    return stream;
  }

  close(stream: AbortController): void {
    stream.abort();
    this.streams.delete(stream);
    if (this.streams.size > 0) return;
    this.unsubscribe?.();
    this.unsubscribe = undefined;
  }

  /** Resolves at a notification about the instance, after POLL_MS, or when the stream ends. */
  async waitForChange(instanceID: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const wakeUps = this.waiting.get(instanceID) ?? new Set();
    this.waiting.set(instanceID, wakeUps);
    await new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        wakeUps.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, POLL_MS);
      signal.addEventListener('abort', wake);
      wakeUps.add(wake);
    });
    if (wakeUps.size === 0) this.waiting.delete(instanceID);
  }

  onModuleDestroy(): void {
    for (const stream of this.streams) stream.abort();
  }

  private wake(instanceID: string): void {
    for (const wake of this.waiting.get(instanceID) ?? []) wake();
  }
}
