import type { StepOf } from '@batuta/flow';
import { StepError, StoppedError } from '../../step-error';
import type { Connector, StepContext } from '../connector';
import { ActionContext, type BrowserAction } from './action-context';
import { runAction } from './actions';
import type { BrowserSession } from './browser-session';
import { reasonOf } from './failure';
import { keepPicture, takePicture } from './picture';
import { RunBrowser } from './run-browser';
import { BrowserUnresponsiveError, StepTime } from './step-time';

const DEFAULT_TIMEOUT_SECONDS = 120;
/** Time for a page to prove after a failed action that it still reacts. */
const PROBE_TIME_LIMIT_MS = 5_000;
const PICTURE_TIME_LIMIT_MS = 5_000;
/**
 * How long a step waits after an action for the tabs that the page opened, which appear with the first answer of their server; then it goes on
 * without them.
 */
const OPENING_TABS_TIME_LIMIT_SECONDS = 10;
/** Longest address that is kept in a variable; a page may make its address arbitrarily long. */
const MAX_URL_LENGTH = 10_000;

/** Runs the actions of browser steps, in one browser per execution. */
export const browserConnector: Connector<'browser'> = {
  begin({ state, resources }) {
    state.currentUrl = urlOf(resources.find(RunBrowser)?.current);
  },
  async run(step, execution) {
    const { state, journal, effects, resources } = execution;
    const browser = resources.find(RunBrowser) ?? resources.add(new RunBrowser(effects));
    const time = new StepTime(effects.control.signal, step.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS);
    const urlBefore = state.currentUrl;
    const begunAt = effects.monotonicNow();
    try {
      const session = await time.bound(browser.ensureSession(), undefined, 'the browser');
      await runActions(step, session, time, execution);
    } finally {
      const { current } = browser;
      state.currentUrl = urlOf(current);
      state.urlChanged = state.currentUrl !== urlBefore;
      if (!effects.control.stopped)
        for (const note of current?.takeNotes() ?? []) await journal.warning(note, { cut: true });
    }
    const count = step.actions.length;
    await journal.info(
      `${count} ${count === 1 ? 'action' : 'actions'} in ${effects.monotonicNow() - begunAt} ms, at ${state.currentUrl || 'an empty tab'}`,
    );
  },
};

async function runActions(
  step: StepOf<'browser'>,
  session: BrowserSession,
  time: StepTime,
  execution: StepContext,
): Promise<void> {
  session.dialogs = step.dialogs ?? 'dismiss';
  const context = new ActionContext(session, time, execution, step.as);
  for (const [index, action] of step.actions.entries()) {
    await time.pauseDuring(execution.effects.control.untilMayAct());
    try {
      await time.bound(runAction(action, context));
      await time.bound(session.waitForOpeningTabs(time.limit(OPENING_TABS_TIME_LIMIT_SECONDS)));
      if (session.lossReason !== undefined) throw new StepError(session.lossReason);
      if (session.url.startsWith('chrome-error:')) throw new StepError('the page was not loaded');
    } catch (error) {
      if (error instanceof StoppedError || execution.effects.control.stopped) throw new StoppedError();
      throw await handleFailedAction({ index, action }, error, { session, execution });
    }
    execution.state.currentUrl = urlOf(session);
  }
}

/** Ends a browser that a failed action leaves unusable. Returns the error of the action, with a picture of the page if one can be taken. */
async function handleFailedAction(
  { index, action }: { index: number; action: BrowserAction },
  error: unknown,
  { session, execution }: { session: BrowserSession; execution: StepContext },
): Promise<Error> {
  const { effects } = execution;
  const stop = effects.control.signal;
  const bound = <T>(work: Promise<T>, milliseconds: number) =>
    new StepTime(stop, milliseconds / 1000).bound(work, milliseconds);
  // The action may still be running, for example typing; no later action may run at the same time in this browser.
  if (error instanceof BrowserUnresponsiveError) session.killAsLost(error.message);
  try {
    if (session.lossReason === undefined) await bound(session.stopLoadingAndProbe(), PROBE_TIME_LIMIT_MS);
  } catch (second) {
    // Later steps cannot use a page that does not react or a browser that has ended.
    if (second instanceof BrowserUnresponsiveError) session.killAsLost('the page does not react');
    else if (!session.process.isAlive || /browser closed/i.test(String(second)))
      session.killAsLost('the browser ended');
  }
  const { lossReason, unreachedPage } = session;
  const reason = lossReason ?? (unreachedPage && isLoadFailure(error) ? unreachedPage.message : reasonOf(error));
  const failure = new StepError(`action ${index + 1} (${action.action}): ${reason}`, null, true);
  if (session.lossReason !== undefined) {
    void session.kill();
    return stop.aborted ? new StoppedError() : failure;
  }
  const picture = await bound(takePicture(session, { timeout: PICTURE_TIME_LIMIT_MS }), PICTURE_TIME_LIMIT_MS).catch(
    () => undefined,
  );
  if (stop.aborted) return new StoppedError();
  if (picture) failure.evidence = await keepPicture(picture, effects);
  return failure;
}

/** Whether the action failed because an address was not loaded. */
function isLoadFailure(error: unknown): boolean {
  return error instanceof Error && /net::ERR_|was not loaded/.test(error.message);
}

function urlOf(session: BrowserSession | undefined): string {
  return (session?.url ?? '').slice(0, MAX_URL_LENGTH);
}
