import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Locator, type Page } from 'playwright-core';
import { DISABLED_FEATURES_ARGUMENT } from '../../../../apps/agent/src/connectors/browser/chromium-features';
import { ensureBrowser, findHeadlessShell } from '../../../../scripts/lib/servers.cjs';
import { makeEnvironment, makeOwner, makeProcess, type Owner, type Process } from '../../support/tenants/factories';
import { startStack } from '../../support/stack/in-process-stack';
import { until } from '../../support/until';
import type { Stack } from '../../support/stack/stack';

export const LANGUAGES = ['pt-BR', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The window sizes of a phone and of a desktop. */
export const VIEWPORTS = { narrow: { width: 360, height: 740 }, wide: { width: 1440, height: 900 } };

/** Maximum height of a picture; long lists look the same further down. */
const MAX_PICTURE_HEIGHT = 2_500;

/** Time limit of the waits of a test for a page, long enough for a busy machine. */
const PATIENCE_MS = 120_000;

/** `npm run screens` sets the folder for the pictures of the screens. */
const SCREENS_FOLDER = process.env['BATUTA_SCREENS'];

export interface PageOptions {
  language?: Language;
  viewport?: keyof typeof VIEWPORTS;
  colorScheme?: 'light' | 'dark';
  /** The account that is logged in. */
  as?: Pick<Owner, 'email' | 'password'>;
}

/** The services, a browser, and a company whose owner has one published process and three unpublished ones. */
export interface WebWorld {
  stack: Stack;
  owner: Owner;
  process: Process;
  /** Opens a path of the console in a new browser window, which closes at the end of the test; a window from `beforeAll` closes with the file. */
  open: (path: string, options?: PageOptions) => Promise<Page>;
}

interface StartedWorld extends WebWorld {
  faults: string[];
  /** The faults in the windows of the test, with the texts that the windows show now. */
  describeWindows(): Promise<string>;
  /** Windows that are open now stay open after the next test. */
  keepWindows(): void;
  closeWindows(options?: { kept: boolean }): Promise<void>;
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
  let world: StartedWorld | undefined;
  beforeAll(async () => {
    world = await (starting ??= startWorld());
  });
  beforeEach(() => world?.keepWindows());
  afterEach(async () => {
    const seen = hasFailed() ? await world?.describeWindows() : undefined;
    if (seen !== undefined) console.log(seen);
    await world?.closeWindows();
    expect(world?.faults.splice(0) ?? []).toEqual([]);
  });
  afterAll(async () => {
    await world?.closeWindows({ kept: true });
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
    const started = await makeProcess(stack, {
      owner,
      environment,
      processName: 'Emissão de notas',
      description: 'Lê os pedidos do dia e emite as notas fiscais.',
      matrix: [
        { name: 'cliente', type: 'Texto' },
        { name: 'total', type: 'Moeda', default: '10,00' },
      ],
    });
    const faults: string[] = [];
    const failedRequests: string[] = [];
    const open = makeOpener(browser, stack.console, faults, failedRequests);
    const windows = browser;
    let kept: BrowserContext[] = [];
    const keepWindows = () => (kept = windows.contexts());
    const closeWindows = async (which = { kept: false }) => {
      const closing = windows.contexts().filter((context) => which.kept || !kept.includes(context));
      await Promise.all(closing.map((context) => context.close()));
      failedRequests.length = 0;
    };
    const describeWindows = async () => {
      const pages = windows.contexts().flatMap((context) => context.pages());
      const texts = await Promise.all(
        pages.map(async (page) => {
          const notifications = JSON.stringify(await page.evaluate('window.shownNotifications'));
          return `${page.url()} has notified ${notifications} and shows:\n${await page.locator('body').innerText()}`;
        }),
      );
      return ['Failed requests:', ...failedRequests, ...texts].join('\n');
    };
    return { stack, owner, process: started, open, faults, describeWindows, keepWindows, closeWindows, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function makeOpener(browser: Browser, url: string, faults: string[], failedRequests: string[]): WebWorld['open'] {
  return async (path, { language = 'pt-BR', viewport = 'wide', colorScheme = 'light', as } = {}) => {
    const context = await browser.newContext({
      baseURL: url,
      locale: language,
      viewport: VIEWPORTS[viewport],
      colorScheme,
      timezoneId: 'America/Sao_Paulo',
      reducedMotion: 'reduce',
    });
    context.setDefaultTimeout(PATIENCE_MS);
    await context.addInitScript(COLLECT_NOTIFICATIONS);
    const page = await context.newPage();
    page.on('pageerror', ({ message }) => faults.push(message));
    page.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) faults.push(message.text());
    });
    page.on('requestfailed', (request) => {
      failedRequests.push(`${request.method()} ${request.url()} ${request.failure()?.errorText}`);
    });
    page.on('response', (response) => {
      if (!response.ok()) failedRequests.push(`${response.request().method()} ${response.url()} ${response.status()}`);
    });
    if (as) {
      const { email, password } = as;
      const answer = await context.request.post('/manage/v1/session', { data: { email, password } });
      expect(answer.status()).toBe(201);
    }
    await page.goto(path);
    return page;
  };
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

const COLLECT_NOTIFICATIONS = `
  window.shownNotifications = [];
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) {
      for (const node of addedNodes) {
        if (!(node instanceof Element)) continue;
        const all = [node, ...node.querySelectorAll('*')];
        for (const one of all) if (one.matches('.mantine-Notification-root')) window.shownNotifications.push(one.textContent);
      }
    }
  }).observe(document, { childList: true, subtree: true });
`;

/** Resolves when no CSS transition is running. Waits for two frames first, because a change of the colour scheme begins its transitions later. */
const TRANSITIONS_END = `(async () => {
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
  await Promise.all(transitions.map((transition) => transition.finished.catch(() => undefined)));
})()`;

/** Takes pictures of the page, in light and dark, for `npm run screens`; does nothing in tests. */
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

/** The field with this label; the label of a required field also has an asterisk. */
export function field(page: Page | Locator, label: string): Locator {
  return page.getByLabel(new RegExp(`^${label}( \\*)?$`));
}
