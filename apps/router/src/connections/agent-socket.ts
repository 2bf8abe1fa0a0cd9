import type { AgentFrame, RouterFrame } from '@batuta/contracts';
import type { RawData, WebSocket } from 'ws';
import { farewell, type Farewell } from '../frames/farewell';
import { readFrame } from '../frames/read-frame';

export interface SocketListener {
  frame(frame: AgentFrame, bytes: number): void;
  closed(code: number): void;
}

const CLOSE_MS = 2_000;
/** Above what claims bring at once, so that only an agent that asks without end and reads nothing gets there. */
const MOST_UNREAD_BYTES = 32 * 1024 * 1024;
const DEAF: SocketListener = { frame: () => {}, closed: () => {} };

/** One agent's WebSocket in frames: reads them for whoever listens, and answers what is no frame with a farewell. */
export class AgentSocket {
  private listener = DEAF;
  private left = false;

  constructor(private readonly socket: WebSocket) {
    socket.on('message', (data, isBinary) => this.read(data, isBinary));
    socket.on('close', (code) => this.listener.closed(code));
    // `close` follows, and tells all there is to do.
    socket.on('error', () => {});
  }

  listen(listener: SocketListener): void {
    this.listener = listener;
  }

  send(frame: RouterFrame): void {
    if (this.left || this.socket.readyState !== this.socket.OPEN) return;
    if (this.buffered > MOST_UNREAD_BYTES) this.cut();
    else this.socket.send(JSON.stringify(frame));
  }

  /** Bytes that wait to be sent. */
  get buffered(): number {
    return this.socket.bufferedAmount;
  }

  /** Reads no further: the agent's sending meets back-pressure. */
  pause(): void {
    this.socket.pause();
  }

  get paused(): boolean {
    return this.socket.isPaused;
  }

  resume(): void {
    this.socket.resume();
  }

  /** Says why, and closes; an agent that does not close its side soon is cut off. */
  leave({ closeCode, code, message }: Farewell): void {
    if (this.left) return;
    this.send({ type: 'error', code, message });
    this.left = true;
    this.socket.resume();
    this.socket.close(closeCode, code);
    setTimeout(() => this.socket.terminate(), CLOSE_MS).unref();
  }

  /** Cuts the connection, for an agent that hears nothing anyway. */
  cut(): void {
    this.left = true;
    this.socket.terminate();
  }

  private read(data: RawData, isBinary: boolean): void {
    if (this.left) return;
    if (isBinary) return this.leave(farewell.badFrame('frame: must be a text message'));
    const bytes = toBuffer(data);
    const read = readFrame(bytes.toString('utf8'), bytes.length);
    if ('refused' in read) this.leave(read.refused);
    else this.listener.frame(read.frame, bytes.length);
  }
}

function toBuffer(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
