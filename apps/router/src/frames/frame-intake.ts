import { MAX_HELLO_BYTES } from '@batuta/agent-protocol';
import type { ByteBudget, Reservation } from '@batuta/async';
import type { Duplex } from 'node:stream';
import { closeReasons, type CloseReason } from './close-reason';
import { FrameAssembly } from './frame-assembly';

export interface IntakeLimits {
  budget: ByteBudget;
  /** The tenant of the bytes in the budget. */
  tenant: string;
  /**
   * Time limit of a message, counted from its first byte, or from the reservation of its memory if the message had to
   * wait for it.
   */
  frameTimeLimitMs: number;
}

/** The operations of the socket whose bytes the intake counts. */
export interface IntakeSocket {
  pause(): void;
  resume(): void;
  /** Whether the socket is paused for another reason; the time limit of the message is then extended. */
  isHeld(): boolean;
  /** Sends the reason and closes the socket, which is read no further. */
  cutOff(reason: CloseReason): void;
}

/**
 * Bounds the memory of incomplete messages. A message that does not arrive complete in its first chunk reserves memory
 * for its whole size, and the socket is not read until the memory is reserved. A message that waits too long for memory
 * or arrives too slowly ends the connection.
 */
export class FrameIntake {
  /** True before the welcome, while only a hello may arrive and messages must be small. */
  helloOnly = true;
  private readonly assembly = new FrameAssembly();
  private readonly endController = new AbortController();
  private reservation: Reservation | undefined;
  private timer: NodeJS.Timeout | undefined;

  /**
   * To be created in the same turn of the event loop as the WebSocket, so that this listener gets every chunk that the
   * WebSocket gets.
   */
  constructor(
    connection: Duplex,
    private readonly socket: IntakeSocket,
    private readonly limits: IntakeLimits,
  ) {
    connection.on('data', (chunk: Buffer) => this.onChunk(chunk));
    connection.once('close', () => this.end());
  }

  private onChunk(chunk: Buffer): void {
    if (this.endController.signal.aborted) return;
    this.assembly.read(chunk);
    const bytes = this.assembly.expectedBytes;
    if (this.assembly.isTooLarge) return;
    if (bytes === 0) this.complete();
    else if (this.helloOnly && bytes > MAX_HELLO_BYTES) this.cutOffSocket(helloTooLarge());
    else if (this.reservation) this.reservation.resize(bytes);
    else if (!this.timer) this.admit(bytes);
  }

  private complete(): void {
    if (!this.timer) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.reservation?.release();
    this.reservation = undefined;
  }

  private admit(bytes: number): void {
    const { budget, tenant } = this.limits;
    this.startTimer();
    this.reservation = budget.tryReserve(tenant, bytes);
    if (this.reservation) return;
    this.socket.pause();
    budget.reserve(tenant, bytes, this.endController.signal).then(
      (reservation) => this.resumeWith(reservation),
      () => undefined,
    );
  }

  private resumeWith(reservation: Reservation): void {
    if (this.endController.signal.aborted) return reservation.release();
    this.reservation = reservation;
    this.startTimer();
    this.socket.resume();
  }

  private startTimer(): void {
    clearTimeout(this.timer);
    const onTimeout = () => {
      if (this.socket.isHeld()) this.startTimer();
      else this.cutOffSocket(closeReasons.tooMuchData());
    };
    this.timer = setTimeout(onTimeout, this.limits.frameTimeLimitMs).unref();
  }

  private cutOffSocket(reason: CloseReason): void {
    this.end();
    this.socket.cutOff(reason);
  }

  private end(): void {
    this.endController.abort();
    this.complete();
  }
}

function helloTooLarge(): CloseReason {
  return closeReasons.badFrame(`frame: must have at most ${MAX_HELLO_BYTES} bytes before the welcome`);
}
