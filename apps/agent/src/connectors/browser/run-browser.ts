import type { Effects } from '../../execution/effects';
import type { ExecutionResource } from '../../execution/execution-resources';
import { StepError, StoppedError } from '../../step-error';
import { BrowserProcess } from './browser-process';
import { BrowserSession } from './browser-session';
import { reasonOf } from './failure';
import { BROWSER_SETTING, browserOf } from '../../find-browser';

const FIRST_PAGE_TIME_LIMIT_MS = 30_000;

/**
 * The browser of one execution. All browser steps of the execution use the same browser; if it has ended, the next step
 * starts another.
 */
export class RunBrowser implements ExecutionResource {
  /** The latest session, even if its browser has ended. */
  current: BrowserSession | undefined;
  private starting: Promise<BrowserSession> | undefined;
  /** A browser that has started and has no page that reacts yet. */
  private opening: BrowserProcess | undefined;
  private isClosed = false;

  constructor(private readonly effects: Pick<Effects, 'browser' | 'hostAccess' | 'control'>) {
    effects.control.signal.addEventListener('abort', () => void this.close(), { once: true });
  }

  /**
   * The session of the execution's browser. Starts a browser if there is none, or if it has ended. Throws StepError when no browser
   * starts, and StoppedError at a stop.
   */
  async ensureSession(): Promise<BrowserSession> {
    if (this.current && this.current.lossReason === undefined) return this.current;
    this.starting ??= this.start().finally(() => {
      this.starting = undefined;
    });
    return this.starting;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    // Kills a browser that is still opening its first page, because a browser that hangs would never finish.
    await this.opening?.kill();
    await this.starting?.catch(() => undefined);
    await this.current?.kill();
  }

  private async start(): Promise<BrowserSession> {
    await this.current?.kill();
    this.current = undefined;
    const { hostAccess } = this.effects;
    const browser = browserOf(this.effects.browser);
    if (!browser) {
      throw new StepError(
        `this machine has no browser: install Chromium, or name one by ${BROWSER_SETTING} of the agent`,
      );
    }
    const process = await BrowserProcess.start(browser, hostAccess);
    this.opening = process;
    const timer = setTimeout(() => void process.kill(), FIRST_PAGE_TIME_LIMIT_MS);
    try {
      if (this.isClosed) throw new StoppedError();
      this.current = await BrowserSession.open(process);
      return this.current;
    } catch (error) {
      await process.kill();
      if (this.isClosed) throw new StoppedError();
      throw new StepError(`the browser ${browser.path} does not open a page: ${reasonOf(error)}`);
    } finally {
      clearTimeout(timer);
      this.opening = undefined;
    }
  }
}
