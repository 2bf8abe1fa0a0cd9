import type { AwaitedState } from '@batuta/contracts';

type WaitPhase = 'starting' | 'waiting' | 'expiring' | 'ended';
type WaitEvent = 'accepted' | 'overdue' | 'expired' | 'settled' | 'abandoned';

const PHASE_TRANSITIONS: Record<WaitPhase, Partial<Record<WaitEvent, WaitPhase>>> = {
  starting: { accepted: 'waiting', settled: 'ended', abandoned: 'ended' },
  waiting: { overdue: 'expiring', settled: 'ended', abandoned: 'ended' },
  expiring: { expired: 'ended', settled: 'ended', abandoned: 'ended' },
  ended: {},
};

/**
 * A caller that waits for the answer of one instance (interpretation 30):
 *
 *     starting ──accepted──▶ waiting ──overdue──▶ expiring ──expired──▶ ended
 *         │                     │                    │                    ▲
 *         └─────────────────────┴─ settled, abandoned ────────────────────┘
 *
 * starting: the start is not accepted yet, but an answer may already arrive. waiting: execution is polled about the
 * instance. expiring: the deadline has passed and a last poll is in flight.
 */
export class WaitingCaller {
  private current: WaitPhase = 'starting';
  /** The last known state when the wait ended; undefined when the caller was abandoned. */
  readonly finalState: Promise<AwaitedState | undefined>;
  private readonly resolve: (state: AwaitedState | undefined) => void;
  /** The last reported state. An accepted instance that was never reported counts as queued. */
  private state: AwaitedState;

  constructor(
    readonly instanceID: string,
    /** Milliseconds of the monotonic clock. */
    readonly deadline: number,
    /** The company that owns the process. */
    readonly companyID: string,
  ) {
    let resolveState: (state: AwaitedState | undefined) => void = () => {};
    this.finalState = new Promise((resolve) => {
      resolveState = resolve;
    });
    this.resolve = resolveState;
    this.state = { instanceID, status: 'queued', outcome: null };
  }

  get phase(): WaitPhase {
    return this.current;
  }

  /** Keeps a state of the instance that execution reported; ends the wait if it is settled. */
  update(state: AwaitedState): void {
    this.state = state;
    if (isSettled(state)) this.end('settled', state);
  }

  /** Records that the start was accepted. */
  accept(): void {
    this.move('accepted');
  }

  /** Moves to `expiring` because the deadline has passed. One last poll must follow, then `expire`. */
  beginExpiry(): void {
    this.move('overdue');
  }

  /** Ends the wait with the last known state; called after the last poll. */
  expire(): void {
    this.end('expired', this.state);
  }

  /** Ends the wait without a state: the connection is closed, or the start was refused or needs no wait. */
  abandon(): void {
    this.end('abandoned', undefined);
  }

  private end(event: WaitEvent, state: AwaitedState | undefined): void {
    if (this.move(event)) this.resolve(state);
  }

  /** Moves to the next phase; returns false when the current phase ignores the event. */
  private move(event: WaitEvent): boolean {
    const next = PHASE_TRANSITIONS[this.current][event];
    if (next) this.current = next;
    return next !== undefined;
  }
}

/**
 * Whether a state ends a wait before its deadline: the process has answered, or the instance has ended. An instance
 * that is `mute`, because its agent cannot answer, holds its caller until the deadline however it ends (contract 4.17).
 */
export function isSettled({ mute, answer, outcome }: AwaitedState): boolean {
  return !mute && (answer !== undefined || outcome !== null);
}
