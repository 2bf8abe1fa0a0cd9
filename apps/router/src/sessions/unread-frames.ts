import type { Reservation } from '@batuta/async';
import type { WebSocket } from 'ws';

/** A frame of at least this size counts as memory of its environment until the agent has read it. A character of it counts as one byte. */
const LARGE_FRAME_BYTES = 16 * 1024;
/** How long an agent may leave a large frame unread before its connection is closed. */
const MAX_UNREAD_MS = 30_000;

/**
 * Counts the large frames that an agent was sent and has not read; a frame counts as read once the operating system has taken all of it. An
 * agent that stops reading is disconnected after a while, because it would otherwise keep the memory for as long as it sends heartbeats.
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

  /**
   * Adds the bytes of a frame that was sent. Negative bytes are those of a frame that was read, after which the time
   * limit begins anew.
   */
  private count(bytes: number): void {
    this.bytes += bytes;
    this.memory.resize(this.bytes);
    if (bytes < 0) this.stopTimer();
    if (this.bytes > 0) this.timer ??= setTimeout(this.giveUp, MAX_UNREAD_MS).unref();
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
