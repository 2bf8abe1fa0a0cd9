import type { AgentFrame, HelloFrame, RouterFrame, WelcomeFrame } from '@batuta/contracts';
import type { Logger } from '@batuta/logging';
import { backoffMilliseconds, type BackoffSettings } from './backoff';
import type { RefusedError } from './refusal';
import { RouterSocket } from './router-socket';
import { SilenceWatch } from './silence-watch';

const WELCOME_MILLISECONDS = 10_000;
/** A connection is taken for dead after this many heartbeats without a word. */
const MISSED_HEARTBEATS = 2.5;
const CLOSE_MILLISECONDS = 2_000;
/** Who holds something tries so often within its grace. */
const TRIES_A_GRACE = 4;

export interface LinkEvents {
  /** Made anew for every connection: it says what is held at that moment. */
  hello(lastSession: string | undefined): HelloFrame;
  welcomed(welcome: WelcomeFrame): void;
  received(frame: RouterFrame): void;
  writable(): void;
  disconnected(): void;
  /** Whether something is held that would be lost with the session. */
  holds(): boolean;
  /** Not heard of the router for its grace: it will soon give up what this agent runs. */
  silent(): void;
}

export interface LinkSettings {
  url: string;
  key: string;
  backoff: BackoffSettings;
  random: () => number;
}

/** Keeps this agent connected: hello and welcome, heartbeats, reconnecting with growing pauses. */
export class RouterLink {
  /** Fulfilled at the first welcome; rejected with RefusedError if the router refuses before that. */
  readonly ready: Promise<void>;
  private becomeReady: () => void = () => undefined;
  private giveUp: (refusal: RefusedError) => void = () => undefined;
  private readonly silence: SilenceWatch;
  private socket: RouterSocket | undefined;
  private session: string | undefined;
  private isWelcomed = false;
  private closing = false;
  private failures = 0;
  private graceMilliseconds = 0;
  private retry: NodeJS.Timeout | undefined;
  private heartbeat: NodeJS.Timeout | undefined;
  /** Ends a connection on which nothing is heard. */
  private patience: NodeJS.Timeout | undefined;
  private whenClosed: () => void = () => undefined;

  constructor(
    private readonly settings: LinkSettings,
    private readonly events: LinkEvents,
    private readonly logger: Logger,
  ) {
    this.ready = new Promise((resolve, reject) => {
      this.becomeReady = resolve;
      this.giveUp = reject;
    });
    // Whoever asks for `ready` sees the refusal; nobody has to.
    this.ready.catch(() => undefined);
    this.silence = new SilenceWatch(() => {
      events.silent();
      this.socket?.terminate();
    });
  }

  /** Whether there is a session: the router has welcomed this agent. */
  get isConnected(): boolean {
    return this.isWelcomed;
  }

  connect(): void {
    this.socket = new RouterSocket(
      this.settings.url,
      this.settings.key,
      {
        opened: () => {
          this.socket?.send(this.events.hello(this.session));
          this.expectWordWithin(WELCOME_MILLISECONDS);
        },
        received: (frame) => this.received(frame),
        writable: () => this.events.writable(),
        closed: (refusal) => this.closed(refusal),
      },
      this.logger,
    );
  }

  /** False when there is no session, or when the connection cannot take more for the moment. */
  send(frame: AgentFrame): boolean {
    return this.isWelcomed && this.socket !== undefined && this.socket.send(frame);
  }

  async close(): Promise<void> {
    this.closing = true;
    this.silence.stop();
    clearTimeout(this.retry);
    if (!this.socket) return;
    const socket = this.socket;
    const dead = setTimeout(() => socket.terminate(), CLOSE_MILLISECONDS);
    await new Promise<void>((resolve) => {
      this.whenClosed = resolve;
      socket.close();
    });
    clearTimeout(dead);
  }

  private received(frame: RouterFrame): void {
    this.silence.heard();
    this.patience?.refresh();
    if (frame.type === 'welcome') return this.welcome(frame);
    // Only a connection that lasts counts as good: one that is closed right after each welcome is tried less and less.
    if (frame.type === 'heartbeat') this.failures = 0;
    if (frame.type === 'error') this.logger.error({ code: frame.code, reason: frame.message }, 'the router complains');
    else if (this.isWelcomed && frame.type !== 'heartbeat') this.events.received(frame);
  }

  private welcome(welcome: WelcomeFrame): void {
    this.isWelcomed = true;
    this.session = welcome.sessionID;
    this.silence.start(welcome.graceSeconds);
    this.graceMilliseconds = welcome.graceSeconds * 1000;
    this.expectWordWithin(patienceSeconds(welcome) * 1000);
    clearInterval(this.heartbeat);
    this.heartbeat = setInterval(() => this.send({ type: 'heartbeat' }), welcome.heartbeatSeconds * 1000);
    this.logger.info({ sessionID: welcome.sessionID, environmentID: welcome.environmentID }, 'connected');
    this.events.welcomed(welcome);
    this.becomeReady();
  }

  private expectWordWithin(milliseconds: number): void {
    clearTimeout(this.patience);
    this.patience = setTimeout(() => {
      this.logger.warn('nothing heard of the router, connecting anew');
      this.socket?.terminate();
    }, milliseconds);
  }

  private closed(refusal: RefusedError | undefined): void {
    this.socket = undefined;
    this.isWelcomed = false;
    clearInterval(this.heartbeat);
    clearTimeout(this.patience);
    this.events.disconnected();
    if (this.closing) return this.whenClosed();
    if (refusal && this.session === undefined) return this.giveUp(refusal);
    if (refusal) this.logger.error(refusal.message);
    this.retryLater(refusal !== undefined);
  }

  private retryLater(refused: boolean): void {
    const { backoff, random } = this.settings;
    const soon = this.events.holds() ? this.graceMilliseconds / TRIES_A_GRACE : Infinity;
    const paced = { ...backoff, mostMilliseconds: Math.min(backoff.mostMilliseconds, soon) };
    const pause = refused ? backoff.refusedMilliseconds : backoffMilliseconds(this.failures, paced, random());
    this.failures += 1;
    this.logger.info({ milliseconds: Math.round(pause) }, 'connecting again');
    this.retry = setTimeout(() => this.connect(), pause);
  }
}

/** Early enough before the grace is over for another connection to save what runs. */
function patienceSeconds({ heartbeatSeconds, graceSeconds }: WelcomeFrame): number {
  return Math.min(heartbeatSeconds * MISSED_HEARTBEATS, (heartbeatSeconds + graceSeconds) / 2);
}
