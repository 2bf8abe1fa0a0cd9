import type { Reservation } from '@batuta/async';
import type { WebSocket } from 'ws';

/** Smaller frames are not counted. */
const LARGE_FRAME_BYTES = 16 * 1024;
/** An agent that does not read one large frame within this time is given up. */
const UNREAD_MS = 30_000;

/**
 * Counts the large frames that were sent to an agent and that it has not read. An agent that stops reading is given up after a
 * while: it would keep the memory for as long as it sends heartbeats.
 */
export class UnreadFrames {
  private timer: NodeJS.Timeout | undefined;
  private bytes = 0;

  constructor(
    private readonly socket: WebSocket,
    private readonly memory: Reservation,
    private readonly giveUp: () => void,
  ) {
    socket.once('close', () => this.end());
  }

  send(frame: string): void {
    if (frame.length < LARGE_FRAME_BYTES) return this.socket.send(frame);
    this.count(frame.length);
    this.socket.send(frame, () => this.count(-frame.length));
  }

  /** Each frame that was read extends the time. */
  private count(bytes: number): void {
    this.bytes += bytes;
    this.memory.resize(this.bytes);
    if (bytes < 0) this.stopTimer();
    if (this.bytes > 0) this.timer ??= setTimeout(this.giveUp, UNREAD_MS).unref();
  }

  private stopTimer(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private end(): void {
    this.bytes = 0;
    this.stopTimer();
    this.memory.release();
  }
}
