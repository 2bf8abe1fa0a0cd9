import type { Socket } from 'node:net';
import { StepError, StoppedError } from '../../flow/step-error';

/** Bytes that a step may receive: also a single value that a driver would keep in memory as a whole is bounded. */
export const MAX_RECEIVED_BYTES = 5 * 1024 * 1024;
const WATCH_MS = 10;

/**
 * Bounds the work of one step with a server: its time, what it receives, and a stop of the execution. `signal` aborts with the
 * StepError or StoppedError that ends the step.
 */
export class StepLimits {
  private readonly aborter = new AbortController();
  private readonly sockets: Socket[] = [];
  private readonly deadline: NodeJS.Timeout;
  private readonly watch: NodeJS.Timeout;

  constructor(
    private readonly connect: () => Socket,
    private readonly stop: AbortSignal,
    timeoutSeconds: number,
  ) {
    const late = () => this.abort(new StepError(`the database did not finish within ${timeoutSeconds} s`));
    this.deadline = setTimeout(late, timeoutSeconds * 1000);
    this.watch = setInterval(() => this.countBytes(), WATCH_MS);
    stop.addEventListener('abort', this.stopped);
    if (stop.aborted) this.stopped();
  }

  get isOver(): boolean {
    return this.aborter.signal.aborted;
  }

  abort(reason: Error): void {
    this.aborter.abort(reason);
  }

  /** A connection to the server that ends with the step. */
  readonly openSocket = (): Socket => {
    const socket = this.connect().setNoDelay(true);
    // Its driver reports the error; a socket that is destroyed later must not end the process.
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

  end(): void {
    clearTimeout(this.deadline);
    clearInterval(this.watch);
    this.stop.removeEventListener('abort', this.stopped);
    this.destroySockets();
  }

  private readonly stopped = () => this.abort(new StoppedError());

  private countBytes(): void {
    const received = this.sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
    if (received <= MAX_RECEIVED_BYTES || this.isOver) return;
    this.abort(new StepError(`the database answered with more than ${MAX_RECEIVED_BYTES} bytes: read less at a time`));
    // At once, because the server may go on sending while the statement is cancelled.
    this.destroySockets();
  }

  private destroySockets(): void {
    for (const socket of this.sockets.splice(0)) socket.destroy();
  }
}
