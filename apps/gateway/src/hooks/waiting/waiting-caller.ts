import type { AwaitedState } from '@batuta/contracts';

type Phase = 'starting' | 'waiting' | 'expiring' | 'ended';
type Event = 'accepted' | 'overdue' | 'expired' | 'settled' | 'abandoned';

const TRANSITIONS: Record<Phase, Partial<Record<Event, Phase>>> = {
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
  private current: Phase = 'starting';
  /** The last known state when the wait ended; undefined when the caller was abandoned. */
  readonly finalState: Promise<AwaitedState | undefined>;
  private readonly resolve: (state: AwaitedState | undefined) => void;
  /** An accepted instance that was never reported as running waits in its queue. */
  private state: AwaitedState;

  constructor(
    readonly instanceID: string,
    /** Epoch milliseconds. */
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

  get phase(): Phase {
    return this.current;
  }

  /** Execution reported this state of the instance. */
  update(state: AwaitedState): void {
    this.state = state;
    if (isSettled(state)) this.end('settled', state);
  }

  /** The start was accepted. */
  accept(): void {
    this.move('accepted');
  }

  /** The deadline has passed; the caller of this method polls once more. */
  beginExpiry(): void {
    this.move('overdue');
  }

  /** The last poll is done: the wait ends with the last known state. */
  expire(): void {
    this.end('expired', this.state);
  }

  /** The connection is closed, or the start needs no wait. */
  abandon(): void {
    this.end('abandoned', undefined);
  }

  private end(event: Event, state: AwaitedState | undefined): void {
    if (this.move(event)) this.resolve(state);
  }

  /** False when the current phase ignores the event. */
  private move(event: Event): boolean {
    const next = TRANSITIONS[this.current][event];
    if (next) this.current = next;
    return next !== undefined;
  }
}

/**
 * Whether a state ends a wait before its deadline: the process has answered or the instance has ended. A `mute` instance
 * holds its caller until the deadline, however it ends (contract 4.17).
 */
export function isSettled({ mute, answer, outcome }: AwaitedState): boolean {
  return !mute && (answer !== undefined || outcome !== null);
}
