import { join } from 'node:path';
import { chromium, type Browser, type Locator, type Page } from 'playwright-core';
import { DISABLED_FEATURES_ARGUMENT } from '../../../../apps/agent/src/connectors/browser/chromium-features';
import { ensureBrowser, findHeadlessShell } from '../../../../scripts/lib/servers.cjs';
import { makeEnvironment, makeOwner, makeProcess, type Owner, type Process } from '../../support/tenants/factories';
import { startStack } from '../../support/stack/in-process-stack';
import { until } from '../../support/until';
import type { Stack } from '../../support/stack/stack';
import { VIEWPORTS, Windows, type PageOptions } from './windows';

/** Maximum height of a picture in pixels; long lists look the same further down. */
const MAX_PICTURE_HEIGHT = 2_500;

/** `npm run screens` sets the folder for the pictures of the screens. */
const SCREENS_FOLDER = process.env['BATUTA_SCREENS'];

/** Number of rows that need several pages of the API. */
export const MORE_THAN_A_PAGE = 130;

/**
 * The services, a browser, and a company whose administrator owns one published process and three unpublished ones, in an environment without
 * an agent.
 */
export interface WebWorld {
  stack: Stack;
  owner: Owner;
  process: Process;
  /**
   * Opens a path of the console in a browser window that no other test uses until the test ends; one that is opened in `beforeAll`, until the file
   * ends.
   */
  open: (path: string, options?: PageOptions) => Promise<Page>;
}

interface StartedWorld extends Omit<WebWorld, 'open'> {
  windows: Windows;
  stop(): Promise<void>;
}

/** Number of test files that have called `useWebWorld` and not ended: all files of a group share one world. */
let users = 0;
let starting: Promise<StartedWorld> | undefined;

/**
 * Gives a test file the world; call it once at the top of the file. A fault of a page, such as an uncaught error or a violation of its
 * Content-Security-Policy, fails the test in which it happens.
 */
export function useWebWorld(): () => WebWorld {
  users += 1;
  let world: (WebWorld & { windows: Windows }) | undefined;
  beforeAll(async () => {
    const started = await (starting ??= startWorld());
    world = { ...started, open: (path, options) => started.windows.open(path, options) };
  });
  beforeEach(() => world?.windows.keepAcrossTests());
  afterEach(async () => {
    const seen = hasFailed() ? await world?.windows.describeFailure() : undefined;
    if (seen !== undefined) console.log(seen);
    await world?.windows.release({ failed: hasFailed() });
    expect(world?.windows.faults.splice(0) ?? []).toEqual([]);
  });
  afterAll(async () => {
    await world?.windows.release({ kept: true });
    users -= 1;
    if (users > 0) return;
    const last = starting;
    starting = undefined;
    await (await last)?.stop();
  });
  return () => {
    if (!world) throw new Error('the world starts in beforeAll');
    return world;
  };
}

/** Whether the current test has failed; `failed-test-environment.cjs` sets the global. */
function hasFailed(): boolean {
  return Reflect.get(globalThis, 'hasTestFailed') === true;
}

async function startWorld(): Promise<StartedWorld> {
  // Allows events to this machine, on which tests start the receivers.
  const stack = await startStack({ env: { EVENT_ALLOW_HOSTS: '127.0.0.1' } });
  let browser: Browser | undefined;
  const stop = async () => {
    await browser?.close();
    await stack.stop();
  };
  try {
    // The browser runs without its sandbox, which root cannot use: it opens the console's own pages only.
    browser = await chromium.launch({
      executablePath: findHeadlessShell() ?? (await ensureBrowser()),
      chromiumSandbox: false,
      args: [DISABLED_FEATURES_ARGUMENT, '--disable-gpu'],
    });
    const owner = await makeOwner(stack, { role: 'administrator', name: 'Ana Souza' });
    const environment = await makeEnvironment(stack, { owner, name: 'Robôs do financeiro' });
    const { environmentID } = environment;
    for (const processName of ['Cadastro de clientes', 'Conciliação bancária', 'Cobrança de boletos']) {
      await owner.manage('POST', '/processes', { processName, environmentID });
    }
    const published = await makeProcess(stack, {
      owner,
      environment,
      processName: 'Emissão de notas',
      description: 'Lê os pedidos do dia e emite as notas fiscais.',
      matrix: [
        { name: 'cliente', type: 'Texto' },
        { name: 'total', type: 'Moeda', default: '10,00' },
      ],
    });
    const windows = new Windows(browser, stack.console);
    return { stack, owner, process: published, windows, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Waits until the page has its heading, nothing of it is still being loaded and no transition is running. */
export async function untilSettled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  // Waits with locators, because a condition as text must be evaluated in the page, which the Content-Security-Policy forbids.
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
  await page.evaluate(TRANSITIONS_END);
}

/**
 * Waits until the page has shown a notification with this text at any time since it was loaded: a notification closes by itself, on a busy
 * machine perhaps before the test looks at the page.
 */
export async function untilNotified(page: Page, text: string): Promise<void> {
  const shown = () => page.evaluate<string[]>('window.shownNotifications');
  await until(shown, (texts) => texts.some((one) => one.includes(text)));
}

/** Waits until the page has drawn what has happened to it so far. */
export const untilDrawn = (page: Page): Promise<unknown> => page.evaluate(TWO_FRAMES);

const TWO_FRAMES = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))';

/** Resolves when no CSS transition is running. Waits for two frames first, because a change of the colour scheme begins its transitions later. */
const TRANSITIONS_END = `(async () => {
  await ${TWO_FRAMES};
  const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
  await Promise.all(transitions.map((transition) => transition.finished.catch(() => undefined)));
})()`;

/**
 * Notes from now on the texts that change in the dialogs of the page, and those that leave a dialog; returns a function that reads them. A dialog that opens before
 * `emulateMedia` allows animations leaves the page without one.
 */
export async function watchDialogTexts(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(COLLECT_DIALOG_TEXTS);
  return () => page.evaluate<string[]>('window.dialogTexts');
}

const COLLECT_DIALOG_TEXTS = `
  window.dialogTexts = [];
  new MutationObserver((changes) => {
    for (const { target, removedNodes } of changes) {
      if (!target.parentElement?.closest('.mantine-Modal-content')) continue;
      const texts = target instanceof Text ? [target.textContent] : [...removedNodes].map((node) => node.textContent);
      window.dialogTexts.push(...texts.filter((text) => text !== ''));
    }
  }).observe(document, { characterData: true, childList: true, subtree: true });
`;

/** Takes pictures of the page at both window sizes, in light and dark, for `npm run screens`; does nothing in other runs. */
export async function takePictures(page: Page, name: string): Promise<void> {
  if (SCREENS_FOLDER === undefined) return;
  const before = page.viewportSize();
  for (const [viewport, size] of Object.entries(VIEWPORTS)) {
    await page.setViewportSize(size);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      // The navigation slides out when the window becomes narrow, so the picture waits for the end of the transition.
      await untilSettled(page);
      await page.setViewportSize({ ...size, height: Math.max(size.height, await pageHeight(page)) });
      await page.screenshot({ path: join(SCREENS_FOLDER, `${name}-${viewport}-${colorScheme}.png`) });
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  if (before) await page.setViewportSize(before);
}

/** The height of the page, at most MAX_PICTURE_HEIGHT. */
async function pageHeight(page: Page): Promise<number> {
  return Math.min(MAX_PICTURE_HEIGHT, Number(await page.evaluate('document.documentElement.scrollHeight')));
}

/** Runs `first` once before the page's next PUT of a path with this end, as if somebody else saved just before. */
export async function beforeNextPut(page: Page, end: string, first: () => Promise<unknown>): Promise<void> {
  let isNext = true;
  await page.route(`**${end}`, async (route) => {
    if (isNext && route.request().method() === 'PUT') {
      isNext = false;
      await first();
    }
    await route.continue();
  });
}

/** The field with this label, which is read as a regular expression; the label of a required field also has an asterisk. */
export function field(page: Page | Locator, label: string): Locator {
  return page.getByLabel(new RegExp(`^${label}( \\*)?$`));
}

export const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

/** Clicks outside of a dialog, on the shade that covers the page. */
export const pressBeside = (page: Page) => page.mouse.click(5, 5);

/** The enabled buttons of the primary look; those of other looks have the attribute `data-variant`. */
export function primaryButtons(page: Page | Locator): Locator {
  return page.locator('.mantine-Button-root:not([data-variant], :disabled)');
}
