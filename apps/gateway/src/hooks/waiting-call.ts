import type { AwaitedState } from '@batuta/contracts';
import { awaitedAnswer, lateAnswer, type HookAnswer } from './hook-answer';

/**
 * `starting` = not accepted yet, but what the process says is heard already; `waiting` = accepted; `ending` = its time is
 * up, it is looked after once more; `over` = there is an answer, or nobody to give one to.
 */
type Phase = 'starting' | 'waiting' | 'ending' | 'over';

/** One caller that is held until its process answers. */
export class WaitingCall {
  private at: Phase = 'starting';
  /** undefined when the caller has gone. */
  readonly answer: Promise<HookAnswer | undefined>;
  private readonly resolve: (answer: HookAnswer | undefined) => void;
  /** As last heard of: what was accepted and never seen running waits in its queue. */
  private state: AwaitedState;

  constructor(
    readonly instanceID: string,
    /** Epoch milliseconds. */
    readonly deadline: number,
  ) {
    let settle: (answer: HookAnswer | undefined) => void = () => {};
    this.answer = new Promise((resolve) => {
      settle = resolve;
    });
    this.resolve = settle;
    this.state = { instanceID, status: 'queued', outcome: null };
  }

  get phase(): Phase {
    return this.at;
  }

  update(state: AwaitedState): void {
    this.state = state;
    const answer = awaitedAnswer(state);
    if (answer) this.end(answer);
  }

  /** The start was accepted: from now on the process is asked about. What it has said already stands. */
  accept(): void {
    if (this.at === 'starting') this.at = 'waiting';
  }

  /** The time is up; one last look is on its way. */
  close(): void {
    if (this.at === 'waiting') this.at = 'ending';
  }

  /** Tells how far the process is known to be. */
  expire(): void {
    this.end(lateAnswer(this.state));
  }

  /** The caller has gone, or needs no answer of the process. */
  abandon(): void {
    this.end(undefined);
  }

  // The first end counts; a promise takes no second one.
  private end(answer: HookAnswer | undefined): void {
    this.at = 'over';
    this.resolve(answer);
  }
}
