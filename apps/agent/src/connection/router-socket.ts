import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { corkUntilEndOfTurn } from '@batuta/async';
import { MAX_FRAME_BYTES, routerFrameReader, type AgentFrame, type RouterFrame } from '@batuta/agent-protocol';
import type { Logger } from '@batuta/logging';
import { WebSocket, type RawData } from 'ws';
import { retryAfterSeconds, type ProxySettings } from '@batuta/network';
import { proxyAgent } from './proxy-agent';
import { RefusedError } from './refusal';
import { refusalReason } from './refusal-reason';

/**
 * Bytes in the send buffer above which reports and pictures are refused, because the network is slower than the
 * flows. They stay in their queues until the buffer has room; a flow waits only when its queue of reports is full.
 */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;

export interface RouterAddress {
  url: string;
  key: string;
  proxies: ProxySettings;
  /** Milliseconds from the start of the connection, also through a proxy, within which the router must answer the upgrade request. */
  handshakeLimitMs: number;
}

export interface SocketEvents {
  onOpen(): void;
  onFrame(frame: RouterFrame): void;
  /** Called when the socket takes reports and pictures again after it refused one. */
  onWritable(): void;
  /**
   * Called once when the connection has ended, whatever ended it. `retryAfterMs` = the pause that the answer to the upgrade request asks for,
   * otherwise 0.
   */
  onClose(refusal: RefusedError | undefined, retryAfterMs: number): void;
}

/** One WebSocket connection to the router as a stream of frames. */
export class RouterSocket {
  private readonly socket: WebSocket;
  private refusal: RefusedError | undefined;
  private retryAfterMs = 0;
  private errorText = '';
  private blocked = false;
  private hasOpened = false;
  /** Whether the log already says why the connection ends: the router refused it, or the agent stops. */
  private isEndLogged = false;
  private connection: Socket | undefined;

  constructor(
    { url, key, proxies, handshakeLimitMs }: RouterAddress,
    private readonly events: SocketEvents,
    private readonly logger: Logger,
  ) {
    this.socket = new WebSocket(url, {
      headers: { authorization: `Bearer ${key}` },
      agent: proxyAgent(url, proxies, handshakeLimitMs),
      handshakeTimeout: handshakeLimitMs,
      maxPayload: MAX_FRAME_BYTES,
      perMessageDeflate: false,
    });
    this.socket.on('upgrade', ({ socket }) => (this.connection = socket));
    this.socket.on('open', () => {
      this.hasOpened = true;
      events.onOpen();
    });
    this.socket.on('message', (data, isBinary) => this.onMessage(data, isBinary));
    this.socket.on('unexpected-response', (_request, answer) => void this.onRefused(answer));
    this.socket.on('error', (error) => {
      // An AggregateError, which joins the failed attempts at several addresses, has a code and no message.
      this.errorText = error.message || ('code' in error ? String(error.code) : error.name);
    });
    this.socket.on('close', (code, reason) => {
      this.logEnd(code, reason.toString() || this.errorText);
      events.onClose(this.refusal ?? RefusedError.ofCloseCode(code), this.retryAfterMs);
    });
  }

  /** Sends a frame; returns false when the socket is not open, or when its buffer is too full for a report or picture. */
  send(frame: AgentFrame): boolean {
    if (this.socket.readyState !== WebSocket.OPEN) return false;
    const waits = frame.type === 'report' || frame.type === 'evidence';
    if (waits && this.socket.bufferedAmount > MAX_BUFFERED_BYTES) {
      this.blocked = true;
      return false;
    }
    if (this.connection) corkUntilEndOfTurn(this.connection);
    this.socket.send(JSON.stringify(frame), () => this.onWritten());
    return true;
  }

  /** Closes the connection with a close frame. */
  close(): void {
    this.isEndLogged = !this.hasOpened;
    this.socket.close(1000);
  }

  /** Ends a connection that may be dead, without a close frame. */
  terminate(): void {
    this.socket.terminate();
  }

  private async onRefused(answer: IncomingMessage): Promise<void> {
    const { statusCode: status = 0, headers } = answer;
    // Set before the body is read: the connection may end before the body does.
    this.refusal = RefusedError.ofHttpStatus(status);
    this.retryAfterMs = 1_000 * retryAfterSeconds(headers['retry-after'], Date.now());
    this.isEndLogged = true;
    const reason = await refusalReason(answer);
    this.refusal = RefusedError.ofHttpStatus(status, reason);
    this.logger.warn({ status, ...(reason !== undefined && { reason }) }, 'the router refused the connection');
    this.socket.terminate();
  }

  private logEnd(code: number, reason: string): void {
    if (this.isEndLogged) return;
    if (this.hasOpened) this.logger.info({ code, reason }, 'the connection to the router closed');
    else this.logger.warn({ reason }, 'the router cannot be reached; `batuta-agent doctor` looks for the cause');
  }

  private onWritten(): void {
    if (!this.blocked || this.socket.bufferedAmount > MAX_BUFFERED_BYTES / 2) return;
    this.blocked = false;
    this.events.onWritable();
  }

  private onMessage(data: RawData, isBinary: boolean): void {
    const frame = isBinary ? undefined : readFrame(data);
    if (frame) this.events.onFrame(frame);
    else this.logger.warn('the agent ignores a message of the router that is no frame of this protocol');
  }
}

function readFrame(data: RawData): RouterFrame | undefined {
  try {
    const bytes = Array.isArray(data) ? Buffer.concat(data) : Buffer.isBuffer(data) ? data : Buffer.from(data);
    const read = routerFrameReader.read(JSON.parse(bytes.toString()));
    return 'frame' in read ? read.frame : undefined;
  } catch {
    return undefined;
  }
}
