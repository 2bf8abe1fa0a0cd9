import type { AgentFrame, RouterFrame } from '@batuta/agent-protocol';
import type { RawData, WebSocket } from 'ws';
import { closeReasons, type CloseReason } from '../frames/close-reason';
import { readFrame } from '../frames/read-frame';

export interface SocketListener {
  frame(frame: AgentFrame, bytes: number): void;
  closed(code: number): void;
}

const CLOSE_MS = 2_000;
/** More than several claims bring: only an agent that keeps requesting and never reads reaches it. */
const MAX_UNREAD_BYTES = 32 * 1024 * 1024;
const NO_LISTENER: SocketListener = { frame: () => {}, closed: () => {} };

/** One agent's WebSocket as a stream of frames. A message that is not a frame closes it. */
export class AgentSocket {
  private listener = NO_LISTENER;
  private closing = false;

  constructor(private readonly socket: WebSocket) {
    socket.on('message', (data, isBinary) => this.read(data, isBinary));
    socket.on('close', (code) => this.listener.closed(code));
    // Without a listener an error would end the process; `close` follows and does the rest.
    socket.on('error', () => {});
  }

  /** Replaces the listener. */
  listen(listener: SocketListener): void {
    this.listener = listener;
  }

  send(frame: RouterFrame): void {
    if (this.closing || this.socket.readyState !== this.socket.OPEN) return;
    if (this.bufferedBytes > MAX_UNREAD_BYTES) this.terminate();
    else this.socket.send(JSON.stringify(frame));
  }

  /** Bytes that wait to be sent. */
  get bufferedBytes(): number {
    return this.socket.bufferedAmount;
  }

  /** Stops reading, so that the agent's sends meet back-pressure. */
  pause(): void {
    this.socket.pause();
  }

  get paused(): boolean {
    return this.socket.isPaused;
  }

  resume(): void {
    this.socket.resume();
  }

  /** Sends the reason and closes. Terminates the connection of an agent that does not close its side soon. */
  close({ closeCode, code, message }: CloseReason): void {
    if (this.closing) return;
    this.send({ type: 'error', code, message });
    this.closing = true;
    this.socket.resume();
    this.socket.close(closeCode, code);
    setTimeout(() => this.socket.terminate(), CLOSE_MS).unref();
  }

  /** Ends the connection without a close frame, for a peer that no longer reads. */
  terminate(): void {
    this.closing = true;
    this.socket.terminate();
  }

  private read(data: RawData, isBinary: boolean): void {
    if (this.closing) return;
    if (isBinary) return this.close(closeReasons.badFrame('frame: must be a text message'));
    const bytes = toBuffer(data);
    const read = readFrame(bytes.toString('utf8'), bytes.length);
    if ('refused' in read) this.close(read.refused);
    else this.listener.frame(read.frame, bytes.length);
  }
}

function toBuffer(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
