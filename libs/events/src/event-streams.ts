import { notifications } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import type { OnModuleDestroy } from '@nestjs/common';

/** Longest wait of a stream before it polls again, because a notification may be lost. */
const POLL_INTERVAL_MS = 2_000;
/** Maximum number of streams at one replica. */
const MAX_STREAMS = 1_000;
/** Maximum number of streams of one company at one replica, however many accounts it has: a quarter of MAX_STREAMS. */
const MAX_COMPANY_STREAMS = 250;

/** The account that opened the stream, and its company. */
export interface StreamOwner {
  accountID: string;
  companyID: string | null;
}

interface StreamLimits {
  /** Maximum number of streams of one account at one replica. */
  perAccount: number;
  /** Called for each stream that is refused because the account or its company has too many streams. */
  onRefusal?: () => void;
}

/** The open event streams of this replica. It subscribes to notifications only while a stream is open. */
export class EventStreams implements OnModuleDestroy {
  private readonly streams = new Map<AbortController, StreamOwner>();
  /** Callbacks of the streams that wait for a change, by instance id. */
  private readonly waiting = new Map<string, Set<() => void>>();
  private unsubscribe: (() => void) | undefined;

  constructor(
    private readonly rpc: Rpc,
    private readonly limits: StreamLimits,
  ) {}

  /**
   * Counts a new stream. Its signal aborts when the stream is closed or the service stops. Throws RATE_LIMITED beyond the share of the
   * account or of its company, so that nobody takes the streams of all others, and UNAVAILABLE above MAX_STREAMS (interpretation 55).
   */
  open(owner: StreamOwner): AbortController {
    this.requireStreamLeft(owner);
    if (this.streams.size >= MAX_STREAMS)
      throw new ApiError('UNAVAILABLE', 'Too many event streams are open; try again.');
    const stream = new AbortController();
    this.streams.set(stream, owner);
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

  /** Resolves at a notification about the instance, after POLL_INTERVAL_MS, or when the stream ends. */
  async waitForChange(instanceID: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const callbacks = this.waiting.get(instanceID) ?? new Set();
    this.waiting.set(instanceID, callbacks);
    await new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        callbacks.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, POLL_INTERVAL_MS);
      signal.addEventListener('abort', wake);
      callbacks.add(wake);
    });
    if (callbacks.size === 0) this.waiting.delete(instanceID);
  }

  onModuleDestroy(): void {
    for (const stream of this.streams.keys()) stream.abort();
  }

  private requireStreamLeft({ accountID, companyID }: StreamOwner): void {
    const owners = [...this.streams.values()];
    const { perAccount: limit } = this.limits;
    if (owners.filter((owner) => owner.accountID === accountID).length >= limit) {
      throw this.tooManyStreams(`An account has at most ${limit} event streams at one replica; close one first.`);
    }
    if (owners.filter((owner) => owner.companyID === companyID).length >= MAX_COMPANY_STREAMS) {
      throw this.tooManyStreams(
        `The accounts of a company have at most ${MAX_COMPANY_STREAMS} event streams at one replica; close one first.`,
      );
    }
  }

  private tooManyStreams(message: string): ApiError {
    this.limits.onRefusal?.();
    return new ApiError('RATE_LIMITED', message);
  }

  private wake(instanceID: string): void {
    for (const wake of this.waiting.get(instanceID) ?? []) wake();
  }
}
