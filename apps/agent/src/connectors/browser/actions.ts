import { unescape } from 'node:querystring';
import { checkSendable, referencedFiles } from '../../execution/files/referenced-files';
import { StepError, StoppedError } from '../../step-error';
import type { ActionName, ActionOf, ActionContext, BrowserAction } from './action-context';
import type { ElementPlace } from './browser-session';
import { discardDownload } from './discard-download';
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
  run(action: ActionOf<Name>, context: ActionContext): Promise<void>;
}

/** What each action does. A failed call of the driver rejects with its own error. */
const ACTION_RUNNERS: { readonly [Name in ActionName]: ActionRunner<Name>['run'] } = {
  open: async ({ url, until = 'load', timeoutSeconds }, context) => {
    const { session, time } = context;
    const address = pageAddress(context.fillMachineText(url));
    hidePassword(address, context);
    const page = await session.activePage();
    const answer = await page.goto(address, { waitUntil: LOAD_STATES[until], timeout: time.limit(timeoutSeconds) });
    if (answer && answer.status() >= 400) session.noteForLog(`${address} answered ${answer.status()}`);
  },
  click: async ({ button, count, ...action }, context) => {
    const element = await context.element(action);
    await element.click({ button, clickCount: count, timeout: context.time.limit(action.timeoutSeconds) });
  },
  hover: async (action, context) => {
    await (await context.element(action)).hover({ timeout: context.time.limit(action.timeoutSeconds) });
  },
  fill: async ({ value, ...action }, context) => {
    const { text, isSecret } = context.fillText(value);
    if (isSecret) await context.hide(action);
    await (await context.element(action)).fill(text, { timeout: context.time.limit(action.timeoutSeconds) });
  },
  type: async ({ value, selector, ...action }, context) => {
    const { text, isSecret } = context.fillText(value);
    const timeout = context.time.limit(action.timeoutSeconds);
    if (selector === undefined) {
      if (isSecret) throw new StepError('a secret is typed only into a selector, so that pictures can hide its field');
      return context.time.boundWithoutSlack((await context.session.activePage()).keyboard.type(text), timeout);
    }
    if (isSecret) await context.hide({ selector, ...action });
    await (await context.element({ selector, ...action })).pressSequentially(text, { timeout });
  },
  press: async ({ key, selector, ...action }, context) => {
    const timeout = context.time.limit(action.timeoutSeconds);
    if (selector === undefined) {
      const { keyboard } = await context.session.activePage();
      return context.time.boundWithoutSlack(keyboard.press(context.fillMachineText(key)), timeout);
    }
    await (await context.element({ selector, ...action })).press(context.fillMachineText(key), { timeout });
  },
  select: async ({ options, ...action }, context) => {
    const chosen = (typeof options === 'string' ? [options] : options).map((option) => context.fillText(option));
    if (chosen.some(({ isSecret }) => isSecret)) await context.hide(action);
    const timeout = context.time.limit(action.timeoutSeconds);
    await (
      await context.element(action)
    ).selectOption(
      chosen.map(({ text }) => text),
      { timeout },
    );
  },
  check: async ({ checked = true, ...action }, context) => {
    await (await context.element(action)).setChecked(checked, { timeout: context.time.limit(action.timeoutSeconds) });
  },
  upload: async ({ files, ...action }, context) => {
    const { scope } = context.execution;
    const templates = typeof files === 'string' ? [files] : files;
    const found = templates.flatMap((file) => referencedFiles('files', file, scope.fieldView(), scope.files));
    const given = checkSendable('files', found).map(({ name, contentType, bytes }) => ({
      name,
      mimeType: contentType,
      buffer: bytes,
    }));
    await (await context.element(action)).setInputFiles(given, { timeout: context.time.limit(action.timeoutSeconds) });
  },
  download: async (action, context) => {
    const timeout = context.time.limit(action.timeoutSeconds);
    const element = await context.element(action);
    const begun = context.session.nextDownload();
    try {
      await element.click({ timeout }).catch((error: unknown) => {
        // A click may fail after its download has begun, whose file would count in the size of the next one.
        void begun.then(discardDownload).catch(() => undefined);
        throw error;
      });
      const download = await context.time.boundWithoutSlack(begun, timeout).catch((error: unknown) => {
        if (error instanceof StoppedError) throw error;
        throw new StepError(`no download began within ${Math.ceil(timeout / 1000)} s${shownPdfNote(context)}`);
      });
      context.setFileVariable(await readDownload(download, context.session, context.time));
    } finally {
      context.session.stopAwaitingDownload();
    }
  },
  waitFor: async ({ selector, state, text, url, ...action }, context) => {
    const timeout = context.time.limit(action.timeoutSeconds);
    // All are filled in before one begins: if a later text cannot be filled in, nothing would await the ones that have begun.
    const waits: (() => Promise<unknown>)[] = [];
    if (selector !== undefined) {
      const element = await context.element({ selector, ...action });
      waits.push(() => element.waitFor({ state, timeout }));
    }
    if (text !== undefined) {
      const { frame } = context.fillPlace({ selector: '*', ...action });
      const shown = (await context.session.root(frame))
        .getByText(context.fillText(text).text)
        .filter({ visible: true });
      waits.push(() => shown.first().waitFor({ timeout }));
    }
    if (url !== undefined) {
      const page = await context.session.activePage();
      const address = context.fillMachineText(url);
      waits.push(() => page.waitForURL(address, { timeout, waitUntil: 'commit' }));
    }
    if (waits.length === 0) throw new StepError('needs a selector, a text or a url');
    await Promise.all(waits.map((begin) => begin()));
  },
  readText: (action, context) => readElements(action, null, context),
  readAttribute: ({ attribute, ...action }, context) =>
    readElements(action, context.fillMachineText(attribute), context),
  readTable: async ({ maxRows = DEFAULT_MAX_ROWS, into, ...action }, context) => {
    const cells = await readCells(await context.element(action), maxRows, context.time.limit(action.timeoutSeconds));
    context.setVariable(tableRows(cells), into);
  },
  fastCheck: async ({ waitSeconds = 0, ...action }, context) => {
    const { state } = context.execution;
    state.fastCheck = false;
    const found = (await context.element(action)).filter({ visible: true }).first();
    const limit = context.time.limit(waitSeconds || undefined);
    const look = waitSeconds === 0 ? found.isVisible() : isShown(found.waitFor({ timeout: limit }));
    state.fastCheck = await context.time.bound(look, limit).catch((error: unknown) => {
      if (error instanceof StoppedError) throw error;
      return false;
    });
  },
  screenshot: async ({ selector, fullPage, ...action }, context) => {
    const { session, time, execution } = context;
    const element = selector === undefined ? undefined : await context.element({ selector, ...action });
    const picture = await takePicture(session, { element, fullPage, timeout: time.limit(action.timeoutSeconds) });
    if (!picture) return;
    const kept = await keepPicture(picture, execution.effects);
    context.setEvidenceVariable(kept);
    await execution.journal.evidence(`picture of ${session.url || 'an empty tab'}`, kept);
  },
  switchTab: async ({ tab }, { session }) => {
    const { pages } = session;
    const page = pages[tab];
    if (!page) throw new StepError(`there is no tab ${tab}; the last one is ${pages.length - 1}`);
    await session.activate(page);
  },
  closeTab: async (_action, { session }) => (await session.activePage()).close(),
};

/** Runs one action of a step. */
export function runAction(action: BrowserAction, context: ActionContext): Promise<void> {
  const run: ActionRunner<ActionName>['run'] = ACTION_RUNNERS[action.action];
  return run(action, context);
}

async function readElements(
  { all, into, ...action }: ElementPlace & { all?: boolean; into?: string; timeoutSeconds?: number },
  attribute: string | null,
  context: ActionContext,
): Promise<void> {
  const element = await context.element(action);
  const limit = context.time.limit(action.timeoutSeconds);
  context.setVariable(all ? await readAll(element, attribute) : await readOne(element, attribute, limit), into);
}

/**
 * The address of a page; only http and https are accepted, because others would open files of the machine or pages of
 * the browser itself.
 */
function pageAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.href;
  // A user and a password may stand before the last @.
  throw new StepError(`"${text.slice(text.lastIndexOf('@') + 1)}" is not an http or https address`);
}

/** A link to a PDF opens the browser's viewer, which begins no download, unless the server sends it as an attachment. */
function shownPdfNote({ session }: ActionContext): string {
  const isPdf = /^application\/pdf\b/i.test(session.mediaTypeOf(session.url) ?? '');
  return isPdf ? ': the browser shows the PDF and does not download it' : '';
}

/** Masks the password of an address in the log: an author may have written it into the flow instead of the vault. */
function hidePassword(address: string, { execution }: ActionContext): void {
  const { password } = new URL(address);
  for (const form of [password, unescape(password)]) execution.scope.hide(form);
}

function isShown(wait: Promise<unknown>): Promise<boolean> {
  return wait.then(
    () => true,
    () => false,
  );
}
