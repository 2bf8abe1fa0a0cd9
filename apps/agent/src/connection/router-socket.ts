import { MAX_FRAME_BYTES, routerFrames, type AgentFrame, type RouterFrame } from '@batuta/contracts';
import type { Logger } from '@batuta/logging';
import { WebSocket, type RawData } from 'ws';
import { RefusedError } from './refusal';

const HANDSHAKE_MILLISECONDS = 10_000;
/** More than this waiting in the socket: the network is slower than the flows, which then wait. */
const MOST_BUFFERED = 4 * 1024 * 1024;

export interface SocketEvents {
  opened(): void;
  received(frame: RouterFrame): void;
  /** A send that was refused before may succeed now. */
  writable(): void;
  /** Comes once, whatever happened. */
  closed(refusal: RefusedError | undefined): void;
}

/** One WebSocket connection to the router that speaks frames. */
export class RouterSocket {
  private readonly socket: WebSocket;
  private refusal: RefusedError | undefined;
  private fault = '';
  private blocked = false;

  constructor(
    url: string,
    key: string,
    private readonly events: SocketEvents,
    private readonly logger: Logger,
  ) {
    this.socket = new WebSocket(url, {
      headers: { authorization: `Bearer ${key}` },
      handshakeTimeout: HANDSHAKE_MILLISECONDS,
      maxPayload: MAX_FRAME_BYTES,
      perMessageDeflate: false,
    });
    this.socket.on('open', () => events.opened());
    this.socket.on('message', (data, isBinary) => this.message(data, isBinary));
    this.socket.on('unexpected-response', (_request, { statusCode = 0 }) => {
      this.refusal = RefusedError.ofStatus(statusCode);
      logger.warn({ status: statusCode }, 'the router refused the connection');
      this.socket.terminate();
    });
    this.socket.on('error', (error) => {
      // Node joins the attempts at several addresses in an error without a message but with a code.
      this.fault = error.message || ('code' in error ? String(error.code) : error.name);
    });
    this.socket.on('close', (code, reason) => {
      logger.info({ code, reason: reason.toString() || this.fault }, 'connection closed');
      events.closed(this.refusal ?? RefusedError.ofClose(code));
    });
  }

  send(frame: AgentFrame): boolean {
    if (this.socket.readyState !== WebSocket.OPEN) return false;
    if (frame.type === 'report' && this.socket.bufferedAmount > MOST_BUFFERED) {
      this.blocked = true;
      return false;
    }
    this.socket.send(JSON.stringify(frame), () => this.wrote());
    return true;
  }

  /** Politely: the other side learns that this agent leaves. */
  close(): void {
    this.socket.close(1000);
  }

  /** At once, for a connection that may be dead. */
  terminate(): void {
    this.socket.terminate();
  }

  private wrote(): void {
    if (!this.blocked || this.socket.bufferedAmount > MOST_BUFFERED / 2) return;
    this.blocked = false;
    this.events.writable();
  }

  private message(data: RawData, isBinary: boolean): void {
    const frame = isBinary ? undefined : readFrame(data);
    if (frame) this.events.received(frame);
    else this.logger.warn('ignored a frame that is not of this protocol');
  }
}

function readFrame(data: RawData): RouterFrame | undefined {
  try {
    const bytes = Array.isArray(data) ? Buffer.concat(data) : Buffer.isBuffer(data) ? data : Buffer.from(data);
    const read = routerFrames.read(JSON.parse(bytes.toString()));
    return 'frame' in read ? read.frame : undefined;
  } catch {
    return undefined;
  }
}
