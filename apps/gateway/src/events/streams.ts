import { notifications } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';

/** Without a hint a stream looks again after this long: a hint may be lost. */
const LOOK_MILLISECONDS = 2_000;
const MOST_STREAMS = 1_000;

/** The open event streams of this replica. It listens to hints only while there is one. */
@Injectable()
export class Streams implements OnModuleDestroy {
  private readonly open = new Set<AbortController>();
  private readonly waiting = new Map<string, Set<() => void>>();
  private stopHearing: (() => void) | undefined;

  constructor(private readonly rpc: Rpc) {}

  /** A place for one stream; the signal aborts when the service stops. Throws UNAVAILABLE when there are too many. */
  enter(): AbortController {
    if (this.open.size >= MOST_STREAMS)
      throw new ApiError('UNAVAILABLE', 'Too many event streams are open; try again.');
    const stream = new AbortController();
    this.open.add(stream);
    this.stopHearing ??= this.rpc.subscribe(notifications.instancesChanged, ({ instanceIDs }) =>
      instanceIDs.forEach((id) => this.wake(id)),
    );
    return stream;
  }

  leave(stream: AbortController): void {
    stream.abort();
    this.open.delete(stream);
    if (this.open.size > 0) return;
    this.stopHearing?.();
    this.stopHearing = undefined;
  }

  /** Until a hint about the instance, the next look, or the end of the stream. */
  async change(instanceID: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const sleepers = this.waiting.get(instanceID) ?? new Set();
    this.waiting.set(instanceID, sleepers);
    await new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        sleepers.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, LOOK_MILLISECONDS);
      signal.addEventListener('abort', wake);
      sleepers.add(wake);
    });
    if (sleepers.size === 0) this.waiting.delete(instanceID);
  }

  onModuleDestroy(): void {
    for (const stream of this.open) stream.abort();
  }

  private wake(instanceID: string): void {
    for (const wake of this.waiting.get(instanceID) ?? []) wake();
  }
}
