import { untilAborted, withTimeout } from '@batuta/async';
import { performance } from 'node:perf_hooks';
import { StepError, StoppedError } from '../../step-error';

const DEFAULT_ACTION_SECONDS = 30;
/** Time added to each limit, so that the limit inside of Playwright is reached first: Playwright's error says more. */
const SLACK_MS = 1_000;

/**
 * Thrown when the page or the browser does not react: the work still runs although the limits inside of Playwright have
 * passed. It is also thrown when the time of work is over that has no such limit, such as a download.
 */
export class BrowserUnresponsiveError extends StepError {}

/** Ends waits of a browser step at its time limit, and at a stop of the execution. */
export class StepTime {
  private endsAt: number;

  constructor(
    private readonly stop: AbortSignal,
    private readonly seconds: number,
  ) {
    this.endsAt = performance.now() + seconds * 1000;
  }

  /** Milliseconds that an action may take; at least 1, because Playwright reads 0 as no limit. */
  limit(actionSeconds = DEFAULT_ACTION_SECONDS): number {
    return Math.max(1, Math.ceil(Math.min(actionSeconds * 1000, this.endsAt - performance.now())));
  }

  /** Waits for something that does not count against the time of the step. */
  async pauseDuring(wait: Promise<void>): Promise<void> {
    const beganAt = performance.now();
    await wait;
    this.endsAt += performance.now() - beganAt;
  }

  /** Like `bound`, for work without a time limit of Playwright: rejects at `milliseconds`, without the slack. */
  boundWithoutSlack<T>(work: Promise<T>, milliseconds = this.limit(this.seconds)): Promise<T> {
    return this.settle(work, milliseconds, milliseconds, 'the page');
  }

  /**
   * Settles as `work` does. Rejects with StoppedError at a stop, and with BrowserUnresponsiveError
   * SLACK_MS after `milliseconds`.
   */
  bound<T>(work: Promise<T>, milliseconds = this.limit(this.seconds), what = 'the page'): Promise<T> {
    return this.settle(work, milliseconds + SLACK_MS, milliseconds, what);
  }

  private settle<T>(work: Promise<T>, endsAfterMs: number, shownMs: number, what: string): Promise<T> {
    const late = () => new BrowserUnresponsiveError(`${what} did not react within ${Math.ceil(shownMs / 1000)} s`);
    return untilAborted(withTimeout(work, endsAfterMs, late), this.stop, () => new StoppedError());
  }
}
