import type { AgentFrame, HelloFrame, RouterFrame, WelcomeFrame } from '@batuta/agent-protocol';
import type { Logger } from '@batuta/logging';
import type { ProxySettings } from '@batuta/network';
import { ElapsedTime } from './elapsed-time';
import { attemptLimitMs, reconnectPauseMs, type LostConnection, type ReconnectSettings } from './reconnect-pause';
import type { RefusedError } from './refusal';
import { RouterSocket } from './router-socket';
import { SilenceWatch } from './silence-watch';

const WELCOME_TIME_LIMIT_MS = 10_000;
/** A connection counts as dead after this many heartbeat intervals without a frame, or earlier where the grace period is short. */
const MISSED_HEARTBEATS = 2.5;
const CLOSE_TIME_LIMIT_MS = 2_000;

export interface LinkEvents {
  /** Makes the first frame of each connection, with the instances that the agent holds at that moment. */
  makeHello(lastSessionID: string | undefined): HelloFrame;
  onWelcome(welcome: WelcomeFrame): void;
  /** Called with each frame of a session, except the welcome and a frame that is read after the grace period. */
  onFrame(frame: RouterFrame): void;
  /** Called when the connection takes reports and pictures again after it refused one. */
  onWritable(): void;
  /** Called when a connection has ended, also one that never had a session. */
  onDisconnect(): void;
  /** Whether the agent holds instances, which it would lose with the session. */
  hasInstances(): boolean;
  /** Called when no frame arrived for the grace period: Batuta may soon end or requeue this agent's instances. */
  onGraceExpired(): void;
}

export interface LinkSettings {
  url: string;
  key: string;
  proxies: ProxySettings;
  reconnect: ReconnectSettings;
  /** A random number from 0 to below 1. */
  random: () => number;
}

/** Keeps this agent connected: hello and welcome, heartbeats, and reconnects with a growing pause. */
export class RouterLink {
  /**
   * Resolves at the first welcome; rejects with RefusedError if the router, or a proxy before it, refuses the agent before that, and then the link
   * does not reconnect. Stays pending while no router can be reached.
   */
  readonly ready: Promise<void>;
  private resolveReady: () => void = () => undefined;
  private rejectReady: (refusal: RefusedError) => void = () => undefined;
  private readonly silenceWatch: SilenceWatch;
  private socket: RouterSocket | undefined;
  private sessionID: string | undefined;
  private isWelcomed = false;
  /** Whether the router refused a report in this session. The agent has dropped its instance, so the router may accept the next session. */
  private hasDroppedInstance = false;
  private closing = false;
  private failures = 0;
  private graceMs = 0;
  private readonly sinceHello = new ElapsedTime();
  private reconnectTimer: NodeJS.Timeout | undefined;
  private heartbeatTimer: NodeJS.Timeout | undefined;
  /** Terminates a connection that delivers no frames. */
  private receiveTimer: NodeJS.Timeout | undefined;
  private onClosed: () => void = () => undefined;

  constructor(
    private readonly settings: LinkSettings,
    private readonly events: LinkEvents,
    private readonly logger: Logger,
  ) {
    this.ready = new Promise((resolve, reject) => {
      this.resolveReady = resolve;
      this.rejectReady = reject;
    });
    // Without this handler, a refusal that no caller awaits would be an unhandled rejection and end the process.
    this.ready.catch(() => undefined);
    this.silenceWatch = new SilenceWatch(() => {
      events.onGraceExpired();
      if (this.isWelcomed) this.endSession();
    });
  }

  /** Whether there is a session: the router has welcomed this agent. */
  get isConnected(): boolean {
    return this.isWelcomed;
  }

  /** Opens the first connection; the link itself opens all later ones. */
  connect(): void {
    this.socket = new RouterSocket(
      { ...this.settings, handshakeLimitMs: attemptLimitMs(this.failures, this.events.hasInstances()) },
      {
        onOpen: () => {
          this.sinceHello.restart();
          this.socket?.send(this.events.makeHello(this.sessionID));
          this.expectFrameWithin(WELCOME_TIME_LIMIT_MS);
        },
        onFrame: (frame) => this.onFrame(frame),
        onWritable: () => this.events.onWritable(),
        onClose: (refusal, retryAfterMs) => this.onClose(refusal, retryAfterMs),
      },
      this.logger,
    );
  }

  /** Sends a frame; returns false when there is no session, or when the buffer of the socket is too full for a report or picture. */
  send(frame: AgentFrame): boolean {
    return this.isWelcomed && this.socket !== undefined && this.socket.send(frame);
  }

  /** Disconnects for good; waits at most 2 s for the close frame of the router. */
  async close(): Promise<void> {
    this.closing = true;
    this.silenceWatch.stop();
    clearTimeout(this.reconnectTimer);
    if (!this.socket) return;
    const socket = this.socket;
    const timer = setTimeout(() => socket.terminate(), CLOSE_TIME_LIMIT_MS);
    await new Promise<void>((resolve) => {
      this.onClosed = resolve;
      socket.close();
    });
    clearTimeout(timer);
  }

  private onFrame(frame: RouterFrame): void {
    this.receiveTimer?.refresh();
    if (frame.type === 'welcome') return this.onWelcome(frame);
    // Only frames of a session show that the lease is kept; an error frame before the welcome does not.
    if (this.isWelcomed) this.silenceWatch.onFrame();
    // Only a heartbeat resets the backoff, not a welcome: otherwise a router that closes right after each welcome would
    // be flooded with reconnects.
    if (frame.type === 'heartbeat') this.failures = 0;
    if (frame.type === 'error') this.onError(frame);
    if (this.isWelcomed) this.events.onFrame(frame);
  }

  private onWelcome(welcome: WelcomeFrame): void {
    const { sessionID, environmentID, heartbeatSeconds } = welcome;
    this.isWelcomed = true;
    this.sessionID = sessionID;
    this.graceMs = welcome.graceSeconds * 1000;
    // The lease runs from the hello. A welcome that is read a whole grace period later, for example because the machine
    // slept, does not prove that the lease still runs.
    if (this.sinceHello.milliseconds >= this.graceMs) return this.endSession();
    this.silenceWatch.start(this.graceMs);
    this.expectFrameWithin(receiveLimitSeconds(welcome) * 1000);
    clearInterval(this.heartbeatTimer);
    this.heartbeatTimer = setInterval(() => this.send({ type: 'heartbeat' }), heartbeatSeconds * 1000);
    this.logger.info({ sessionID, environmentID }, 'the router welcomed the agent');
    this.events.onWelcome(welcome);
    this.resolveReady();
  }

  /** Ends a session whose lease may be over. Frames that are still buffered then have no effect. */
  private endSession(): void {
    this.isWelcomed = false;
    this.socket?.terminate();
  }

  private expectFrameWithin(milliseconds: number): void {
    clearTimeout(this.receiveTimer);
    this.receiveTimer = setTimeout(() => {
      this.logger.warn(
        { sessionID: this.sessionID },
        'the router sent no frame within the receive timeout; the agent reconnects',
      );
      this.socket?.terminate();
    }, milliseconds);
  }

  private onError({ code, message: reason, instanceID }: Extract<RouterFrame, { type: 'error' }>): void {
    this.logger.error({ sessionID: this.sessionID, code, reason }, 'the router reports an error');
    this.hasDroppedInstance = this.isWelcomed && instanceID !== undefined;
  }

  private onClose(refusal: RefusedError | undefined, retryAfterMs: number): void {
    this.socket = undefined;
    const { hasDroppedInstance } = this;
    this.hasDroppedInstance = false;
    this.isWelcomed = false;
    clearInterval(this.heartbeatTimer);
    clearTimeout(this.receiveTimer);
    this.events.onDisconnect();
    if (this.closing) return this.onClosed();
    if (refusal && this.sessionID === undefined) return this.rejectReady(refusal);
    if (refusal) this.logger.error(refusal.message);
    this.reconnectLater({ refusedBy: hasDroppedInstance ? undefined : refusal?.by, retryAfterMs });
  }

  private reconnectLater(loss: Pick<LostConnection, 'refusedBy' | 'retryAfterMs'>): void {
    this.failures += 1;
    const graceMs = this.events.hasInstances() ? this.graceMs : undefined;
    const { reconnect, random } = this.settings;
    const pause = reconnectPauseMs({ ...loss, failures: this.failures, graceMs }, reconnect, random());
    this.logger.info({ milliseconds: Math.round(pause) }, 'the agent reconnects after a pause');
    this.reconnectTimer = setTimeout(() => this.connect(), pause);
  }
}

/**
 * Seconds without a frame after which the connection is terminated; short enough that a new connection can resume the
 * session before the grace period ends.
 */
function receiveLimitSeconds({ heartbeatSeconds, graceSeconds }: WelcomeFrame): number {
  return Math.min(heartbeatSeconds * MISSED_HEARTBEATS, (heartbeatSeconds + graceSeconds) / 2);
}
