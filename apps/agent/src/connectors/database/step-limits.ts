import type { Socket } from 'node:net';
import { StepError, StoppedError } from '../../step-error';
import type { HostAndPort, OpenSocket } from './driver';

/**
 * Bytes that a step may receive. The bytes of the sockets are counted, because a driver keeps even a huge single value
 * in memory.
 */
const MAX_RECEIVED_BYTES = 5 * 1024 * 1024;
const LIMIT_CHECK_INTERVAL_MS = 10;

/** The time of the step is over. */
export class StepTimeError extends StepError {
  constructor(readonly seconds: number) {
    super(`the database did not finish within ${seconds} s`);
  }
}

/**
 * Bounds the database work of one step: its time, its received bytes, and a stop of the execution. Once one of these limits is reached, `bound`
 * rejects with the StepError or StoppedError that ends the step.
 */
export class StepLimits {
  private readonly aborter = new AbortController();
  private readonly sockets: Socket[] = [];
  private readonly deadline: NodeJS.Timeout;
  private readonly watch: NodeJS.Timeout;
  private hasEnded = false;

  constructor(
    private readonly connect: OpenSocket,
    private readonly stopSignal: AbortSignal,
    timeoutSeconds: number,
  ) {
    const late = () => this.abort(new StepTimeError(timeoutSeconds));
    this.deadline = setTimeout(late, timeoutSeconds * 1000);
    this.watch = setInterval(() => this.countBytes(), LIMIT_CHECK_INTERVAL_MS);
    stopSignal.addEventListener('abort', this.onStop);
    if (stopSignal.aborted) this.onStop();
  }

  /** Whether a limit is reached or the execution is stopped. */
  get isOver(): boolean {
    return this.aborter.signal.aborted;
  }

  abort(reason: Error): void {
    this.aborter.abort(reason);
  }

  /** Opens a connection to the server; it is destroyed when the step ends. Throws once the step has ended: a driver may still try again. */
  readonly openSocket = (at?: HostAndPort): Socket => {
    if (this.hasEnded) throw new Error('the step has ended');
    const socket = this.connect(at).setNoDelay(true);
    // The driver reports errors of its socket itself. Without this listener an error after the socket was destroyed would end the
    // process.
    socket.on('error', () => undefined);
    this.sockets.push(socket);
    return socket;
  };

  /** Settles as `work` does, or rejects with the reason as soon as a limit is reached. */
  bound<T>(work: Promise<T>): Promise<T> {
    const { signal } = this.aborter;
    return new Promise((resolve, reject) => {
      const over = () => reject(signal.reason instanceof Error ? signal.reason : new StoppedError());
      if (signal.aborted) over();
      signal.addEventListener('abort', over, { once: true });
      work.then(resolve, reject).finally(() => signal.removeEventListener('abort', over));
    });
  }

  /** Ends the limits with the step, and destroys its sockets. */
  end(): void {
    this.hasEnded = true;
    clearTimeout(this.deadline);
    clearInterval(this.watch);
    this.stopSignal.removeEventListener('abort', this.onStop);
    this.destroySockets();
  }

  private readonly onStop = () => this.abort(new StoppedError());

  private countBytes(): void {
    const received = this.sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
    if (received <= MAX_RECEIVED_BYTES || this.isOver) return;
    this.abort(new StepError(`the database answered with more than ${MAX_RECEIVED_BYTES} bytes: read less at a time`));
    // The sockets are destroyed at once, because a server may keep sending while the statement is being cancelled.
    this.destroySockets();
  }

  private destroySockets(): void {
    for (const socket of this.sockets.splice(0)) socket.destroy();
  }
}
