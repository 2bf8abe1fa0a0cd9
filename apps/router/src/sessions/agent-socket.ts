import type { AgentFrame, RouterFrame } from '@batuta/agent-protocol';
import { corkUntilEndOfTurn } from '@batuta/async';
import { stringifyWithRaw } from '@batuta/json';
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { closeReasons, type CloseReason } from '../frames/close-reason';
import { FrameIntake } from '../frames/frame-intake';
import { readFrame, type RefusedReport } from '../frames/read-frame';
import type { AgentMemory } from './agent-memory';
import { UnreadFrames } from './unread-frames';

export interface SocketListener {
  /** `bytes` = the size of the frame's text. */
  onFrame(frame: AgentFrame, bytes: number): void;
  /** `reason` = the code of the CloseReason that this socket has sent, else the close code of WebSocket. */
  onClose(reason: string): void;
  /**
   * Called for a report that is no valid frame; the listener closes the socket, which reads no further frame. Without this method
   * the socket closes itself.
   */
  onInvalidReport?(reason: CloseReason, report: RefusedReport): void;
}

/** How long an agent may take to close its side before the connection is terminated. */
const CLOSE_TIME_LIMIT_MS = 2_000;
/**
 * Unread bytes above which the connection is closed. Only an agent that keeps sending requests and never reads reaches
 * this limit; the offers of several claims have fewer bytes.
 */
const MAX_UNREAD_BYTES = 32 * 1024 * 1024;
/** An offer of at least this size follows a heartbeat: a slow connection may need long for it, and no other frame arrives meanwhile. */
const LARGE_OFFER_BYTES = 64 * 1024;
const HEARTBEAT = JSON.stringify({ type: 'heartbeat' } satisfies RouterFrame);
const NO_LISTENER: SocketListener = { onFrame: () => {}, onClose: () => {} };

/**
 * The reasons for which a socket is not read. `opening`: the session has no welcome yet. `frames`: an incomplete message waits for memory.
 * `reports`: too many reports of the session wait for execution; `memory`: too many bytes of reports of its environment, its company or all
 * agents. `stopping`: the router stops. `cutOff`: an incomplete message is too large or too late. `refused`: a report was no valid frame.
 */
type HoldReason = 'opening' | 'frames' | 'reports' | 'memory' | 'stopping' | 'cutOff' | 'refused';

/** The TCP connection, the memory budgets of the replica that its bytes count against, and the time limit of one frame. */
export interface AgentSocketOptions {
  connection: Duplex;
  /** The tenant of the bytes in the budgets of `memory`: the environment. */
  tenant: string;
  memory: AgentMemory;
  frameTimeLimitMs: number;
}

/** One agent's WebSocket as a stream of frames. A message that is not a frame closes the WebSocket. */
export class AgentSocket {
  private listener = NO_LISTENER;
  private closing = false;
  /** The code of the CloseReason that was sent. */
  private sentReason: string | undefined;
  private readonly holds = new Set<HoldReason>();
  private readonly intake: FrameIntake;
  private readonly unread: UnreadFrames;
  private readonly connection: Duplex;

  constructor(
    private readonly socket: WebSocket,
    { connection, tenant, memory, frameTimeLimitMs }: AgentSocketOptions,
  ) {
    this.connection = connection;
    socket.on('message', (data, isBinary) => this.read(data, isBinary));
    socket.on('close', (code) => this.listener.onClose(this.sentReason ?? String(code)));
    // Without this listener an error would end the router; the `close` event that follows cleans up.
    socket.on('error', () => {});
    const intakeSocket = {
      pause: () => this.pause('frames'),
      resume: () => this.resume('frames'),
      isHeld: () => [...this.holds].some((reason) => reason !== 'frames'),
      cutOff: (reason: CloseReason) => this.cutOff(reason),
    };
    this.intake = new FrameIntake(connection, intakeSocket, { budget: memory.frames, tenant, frameTimeLimitMs });
    this.unread = new UnreadFrames(socket, memory.unread.hold(tenant), () => this.terminate());
  }

  /** Sets the listener of frames and of the close, in place of the previous one. */
  listen(listener: SocketListener): void {
    this.listener = listener;
  }

  /**
   * Sends a frame; returns the size of an offer in bytes, and 0 for any other frame. Sends nothing and returns 0 on a connection that closes or is
   * closed; terminates one with too many unread bytes.
   */
  send(frame: RouterFrame): number {
    if (this.closing || this.socket.readyState !== this.socket.OPEN) return 0;
    if (this.bufferedBytes > MAX_UNREAD_BYTES) {
      this.terminate();
      return 0;
    }
    corkUntilEndOfTurn(this.connection);
    const { json } = stringifyWithRaw(frame);
    const offerBytes = frame.type === 'offer' ? Buffer.byteLength(json) : 0;
    // The agent counts the time without a frame until all of the offer has arrived; because of the heartbeat that time begins with the offer.
    if (offerBytes >= LARGE_OFFER_BYTES) this.unread.send(HEARTBEAT);
    this.unread.send(json);
    return offerBytes;
  }

  /** Bytes that wait to be sent. */
  get bufferedBytes(): number {
    return this.socket.bufferedAmount;
  }

  /** Stops reading until `resume` was called for every reason, so that the agent's sends meet back-pressure. */
  pause(reason: HoldReason): void {
    this.holds.add(reason);
    this.socket.pause();
  }

  get isPaused(): boolean {
    return this.socket.isPaused;
  }

  isHeldFor(reason: HoldReason): boolean {
    return this.holds.has(reason);
  }

  resume(reason: HoldReason): void {
    if (this.holds.delete(reason) && this.holds.size === 0) this.socket.resume();
  }

  /** Called at the welcome, after which frames of any type may arrive; before it, only a hello. */
  allowAllFrames(): void {
    this.intake.helloOnly = false;
    this.resume('opening');
  }

  /** Sends the reason and closes. Terminates the connection of an agent that does not close its side soon. */
  close(reason: CloseReason): void {
    if (this.closing) return;
    this.sendReason(reason);
    this.socket.resume();
  }

  /**
   * Like `close`, for an agent that has sent too many bytes; no more are read. The connection is not terminated at
   * once, because a reset could reach the agent before it has read the reason.
   */
  private cutOff(reason: CloseReason): void {
    this.pause('cutOff');
    this.sendReason(reason);
  }

  private sendReason({ closeCode, code, message, instanceID }: CloseReason): void {
    if (this.closing) return;
    this.send({ type: 'error', code, message, instanceID });
    this.closing = true;
    this.sentReason = code;
    this.socket.close(closeCode, code);
    setTimeout(() => this.socket.terminate(), CLOSE_TIME_LIMIT_MS).unref();
  }

  /** Ends the connection without a close frame, for a peer that no longer reads. */
  terminate(): void {
    this.closing = true;
    this.socket.terminate();
  }

  private read(data: RawData, isBinary: boolean): void {
    // Messages that arrived together are read although the socket is paused.
    if (this.closing || this.isHeldFor('refused')) return;
    if (isBinary) return this.close(closeReasons.badFrame('frame: must be a text message'));
    const bytes = toBuffer(data);
    const read = readFrame(bytes.toString('utf8'), bytes.length);
    if ('frame' in read) this.listener.onFrame(read.frame, bytes.length);
    else if (!read.report || !this.listener.onInvalidReport) this.close(read.refused);
    else {
      this.pause('refused');
      this.listener.onInvalidReport(read.refused, read.report);
    }
  }
}

function toBuffer(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
