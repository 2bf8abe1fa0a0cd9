import { checkSendable, referencedFiles } from '../../flow/files/referenced-files';
import { StepError, StoppedError } from '../../flow/step-error';
import type { ActionName, ActionOf, ActionUse, BrowserAction } from './action-use';
import type { ElementPlace } from './browser-session';
import { readDownload } from './download';
import { keepPicture, takePicture } from './picture';
import { readAll, readCells, readOne } from './read-page';
import { tableRows } from './table-rows';

const DEFAULT_MAX_ROWS = 1_000;
const LOAD_STATES = { load: 'load', content: 'domcontentloaded', answer: 'commit' } as const;

/**
 * Declared as a method and not as a property, because TypeScript compares parameters of methods loosely: an entry of
 * the table can be called with any action.
 */
interface ActionRunner<Name extends ActionName> {
  run(action: ActionOf<Name>, use: ActionUse): Promise<void>;
}

/** What each action does. A failed call of the driver rejects with its own error. */
const ACTION_RUNNERS: { readonly [Name in ActionName]: ActionRunner<Name>['run'] } = {
  open: async ({ url, until = 'load', timeoutSeconds }, use) => {
    const { session, time } = use;
    const address = pageAddress(use.fillMachineText(url));
    const page = await session.page();
    const answer = await page.goto(address, { waitUntil: LOAD_STATES[until], timeout: time.limit(timeoutSeconds) });
    if (answer && answer.status() >= 400) session.noteForLog(`${address} answered ${answer.status()}`);
  },
  click: async ({ button, count, ...action }, use) => {
    const element = await use.element(action);
    await element.click({ button, clickCount: count, timeout: use.time.limit(action.timeoutSeconds) });
  },
  hover: async (action, use) => {
    await (await use.element(action)).hover({ timeout: use.time.limit(action.timeoutSeconds) });
  },
  fill: async ({ value, ...action }, use) => {
    const { text, isSecret } = use.fillText(value);
    if (isSecret) await use.hide(action);
    await (await use.element(action)).fill(text, { timeout: use.time.limit(action.timeoutSeconds) });
  },
  type: async ({ value, selector, ...action }, use) => {
    const { text, isSecret } = use.fillText(value);
    const timeout = use.time.limit(action.timeoutSeconds);
    if (selector === undefined) {
      if (isSecret) throw new StepError('a secret is typed only into a selector, so that pictures can hide its field');
      return (await use.session.page()).keyboard.type(text);
    }
    if (isSecret) await use.hide({ selector, ...action });
    await (await use.element({ selector, ...action })).pressSequentially(text, { timeout });
  },
  press: async ({ key, selector, ...action }, use) => {
    const timeout = use.time.limit(action.timeoutSeconds);
    if (selector === undefined) return (await use.session.page()).keyboard.press(use.fillMachineText(key));
    await (await use.element({ selector, ...action })).press(use.fillMachineText(key), { timeout });
  },
  select: async ({ options, ...action }, use) => {
    const chosen = (typeof options === 'string' ? [options] : options).map((option) => use.fillText(option));
    if (chosen.some(({ isSecret }) => isSecret)) await use.hide(action);
    const timeout = use.time.limit(action.timeoutSeconds);
    await (
      await use.element(action)
    ).selectOption(
      chosen.map(({ text }) => text),
      { timeout },
    );
  },
  check: async ({ checked = true, ...action }, use) => {
    await (await use.element(action)).setChecked(checked, { timeout: use.time.limit(action.timeoutSeconds) });
  },
  upload: async ({ files, ...action }, use) => {
    const { scope } = use.execution;
    const templates = typeof files === 'string' ? [files] : files;
    const found = templates.flatMap((file) => referencedFiles('files', file, scope.fieldView(), scope.files));
    const given = checkSendable('files', found).map(({ name, contentType, bytes }) => ({
      name,
      mimeType: contentType,
      buffer: bytes,
    }));
    await (await use.element(action)).setInputFiles(given, { timeout: use.time.limit(action.timeoutSeconds) });
  },
  download: async (action, use) => {
    const timeout = use.time.limit(action.timeoutSeconds);
    const element = await use.element(action);
    const begun = use.session.nextDownload();
    try {
      await element.click({ timeout });
      const download = await use.time.boundOwnWork(begun, timeout).catch((error: unknown) => {
        if (error instanceof StoppedError) throw error;
        throw new StepError(`no download began within ${Math.ceil(timeout / 1000)} s`);
      });
      use.setFileVariable(await readDownload(download, use.session, use.time));
    } finally {
      use.session.expectNoDownload();
    }
  },
  waitFor: async ({ selector, state, text, url, ...action }, use) => {
    const timeout = use.time.limit(action.timeoutSeconds);
    const waits: Promise<unknown>[] = [];
    if (selector !== undefined) {
      waits.push((await use.element({ selector, ...action })).waitFor({ state, timeout }));
    }
    if (text !== undefined) {
      const { frame } = use.place({ selector: '*', ...action });
      const shown = (await use.session.root(frame)).getByText(use.fillText(text).text).filter({ visible: true });
      waits.push(shown.first().waitFor({ timeout }));
    }
    if (url !== undefined) {
      waits.push((await use.session.page()).waitForURL(use.fillMachineText(url), { timeout, waitUntil: 'commit' }));
    }
    if (waits.length === 0) throw new StepError('needs a selector, a text or a url');
    await Promise.all(waits);
  },
  readText: (action, use) => readElements(action, null, use),
  readAttribute: ({ attribute, ...action }, use) => readElements(action, use.fillMachineText(attribute), use),
  readTable: async ({ maxRows = DEFAULT_MAX_ROWS, into, ...action }, use) => {
    const cells = await readCells(await use.element(action), maxRows, use.time.limit(action.timeoutSeconds));
    use.setVariable(tableRows(cells), into);
  },
  fastCheck: async ({ waitSeconds = 0, ...action }, use) => {
    const { state } = use.execution;
    state.fastCheck = false;
    const found = (await use.element(action)).filter({ visible: true }).first();
    const look = waitSeconds === 0 ? found.isVisible() : isShown(found.waitFor({ timeout: waitSeconds * 1000 }));
    state.fastCheck = await use.time.bound(look, use.time.limit()).catch((error: unknown) => {
      if (error instanceof StoppedError) throw error;
      return false;
    });
  },
  screenshot: async ({ selector, fullPage, ...action }, use) => {
    const { session, time, execution } = use;
    const element = selector === undefined ? undefined : await use.element({ selector, ...action });
    const picture = await takePicture(session, { element, fullPage, timeout: time.limit(action.timeoutSeconds) });
    if (!picture) return session.noteForLog('kept no picture, because it is too large');
    const kept = await keepPicture(picture, execution.effects);
    use.setEvidenceVariable(kept);
    await execution.journal.evidence(`picture of ${session.url || 'an empty tab'}`, kept);
  },
  switchTab: async ({ tab }, { session }) => {
    const { pages } = session;
    const page = pages[tab];
    if (!page) throw new StepError(`there is no tab ${tab}; the last one is ${pages.length - 1}`);
    await session.activate(page);
  },
  closeTab: async (_action, { session }) => (await session.page()).close(),
};

/** Runs one action of a step. */
export function runAction(action: BrowserAction, use: ActionUse): Promise<void> {
  const run: ActionRunner<ActionName>['run'] = ACTION_RUNNERS[action.action];
  return run(action, use);
}

async function readElements(
  { all, into, ...action }: ElementPlace & { all?: boolean; into?: string; timeoutSeconds?: number },
  attribute: string | null,
  use: ActionUse,
): Promise<void> {
  const element = await use.element(action);
  const limit = use.time.limit(action.timeoutSeconds);
  use.setVariable(all ? await readAll(element, attribute) : await readOne(element, attribute, limit), into);
}

/**
 * The address of a page; only http and https are accepted, because others would open files of the machine or pages of
 * the browser itself.
 */
function pageAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.href;
  throw new StepError(`"${text}" is not an http or https address`);
}

function isShown(wait: Promise<unknown>): Promise<boolean> {
  return wait.then(
    () => true,
    () => false,
  );
}
