import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Owner } from '../../support/tenants/factories';

export const LANGUAGES = ['pt-BR', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The window sizes of a phone and of a desktop, in CSS pixels. */
export const VIEWPORTS = { narrow: { width: 360, height: 740 }, wide: { width: 1440, height: 900 } };

/** Time limit of the waits of a test for a page, long enough for a busy machine. */
const ACTION_TIME_LIMIT_MS = 120_000;

export interface PageOptions {
  language?: Language;
  viewport?: keyof typeof VIEWPORTS;
  colorScheme?: 'light' | 'dark';
  /** The time zone of the browser, such as `America/Halifax`; São Paulo by default. */
  timeZone?: string;
  /** The account that is logged in; without it nobody is. */
  as?: Pick<Owner, 'email' | 'password'>;
}

interface BrowserWindow {
  context: BrowserContext;
  language: Language;
  timeZone: string;
}

/**
 * The browser windows of the tests, each with cookies and storage of its own. A window of a test that has passed is used again without its pages, cookies
 * and storage, because a new one would load and compile all scripts of the console again. What else a context keeps would reach later tests: they use
 * neither `page.clock` nor `context.addInitScript`.
 */
export class Windows {
  /** Uncaught errors of the pages, and violations of their Content-Security-Policy. */
  readonly faults: string[] = [];
  private failedRequests: string[] = [];
  private readonly inUse = new Set<BrowserWindow>();
  private readonly kept = new Set<BrowserWindow>();
  private readonly idle = new Set<BrowserWindow>();

  /** `url` = base URL of the console. */
  constructor(
    private readonly browser: Browser,
    private readonly url: string,
  ) {}

  /** Opens a path of the console in a window that no other test uses. */
  async open(path: string, options: PageOptions = {}): Promise<Page> {
    const {
      language = 'pt-BR',
      viewport = 'wide',
      colorScheme = 'light',
      timeZone = 'America/Sao_Paulo',
      as,
    } = options;
    const opened = this.takeIdle(language, timeZone) ?? (await this.create(language, timeZone));
    this.inUse.add(opened);
    const { context } = opened;
    const page = await context.newPage();
    await page.setViewportSize(VIEWPORTS[viewport]);
    await page.emulateMedia({ colorScheme });
    this.watch(page);
    if (as) {
      const { email, password } = as;
      const answer = await context.request.post('/manage/v1/session', { data: { email, password } });
      if (answer.status() !== 201) throw new Error(`${email} cannot log in: ${answer.status()} ${await answer.text()}`);
    }
    await page.goto(path);
    return page;
  }

  /** The windows that are open now are shared by the tests that follow, until `release({ kept: true })`. */
  keepAcrossTests(): void {
    for (const opened of this.inUse) this.kept.add(opened);
  }

  /** Ends the use of the windows of the test, and with `kept` of all. The windows of a failed test are closed, because calls of that test may still be running. */
  async release({ kept = false, failed = false } = {}): Promise<void> {
    if (kept) this.kept.clear();
    const released = [...this.inUse].filter((opened) => !this.kept.has(opened));
    for (const opened of released) this.inUse.delete(opened);
    this.failedRequests = [];
    await Promise.all(released.map((opened) => (failed ? opened.context.close() : this.reset(opened))));
  }

  /** A text for the log of a failed test: its failed requests, and what its windows show now. */
  async describeFailure(): Promise<string> {
    const pages = [...this.inUse].flatMap(({ context }) => context.pages());
    const texts = await Promise.all(
      pages.map(async (page) => {
        const notifications = JSON.stringify(await page.evaluate('window.shownNotifications'));
        return `${page.url()} has notified ${notifications} and shows:\n${await page.locator('body').innerText()}`;
      }),
    );
    return ['Failed requests:', ...this.failedRequests, ...texts].join('\n');
  }

  private takeIdle(language: Language, timeZone: string): BrowserWindow | undefined {
    const found = [...this.idle].find((one) => one.language === language && one.timeZone === timeZone);
    if (found) this.idle.delete(found);
    return found;
  }

  private async create(language: Language, timeZone: string): Promise<BrowserWindow> {
    const context = await this.browser.newContext({
      baseURL: this.url,
      locale: language,
      viewport: VIEWPORTS.wide,
      timezoneId: timeZone,
      reducedMotion: 'reduce',
    });
    context.setDefaultTimeout(ACTION_TIME_LIMIT_MS);
    await context.addInitScript(COLLECT_NOTIFICATIONS);
    return { context, language, timeZone };
  }

  private watch(page: Page): void {
    page.on('pageerror', ({ message }) => this.faults.push(message));
    page.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) this.faults.push(message.text());
    });
    page.on('requestfailed', (request) => {
      this.failedRequests.push(`${request.method()} ${request.url()} ${request.failure()?.errorText}`);
    });
    page.on('response', (response) => {
      if (response.ok()) return;
      this.failedRequests.push(`${response.request().method()} ${response.url()} ${response.status()}`);
    });
  }

  /** Makes a window ready for another test, and closes it when that fails. */
  private async reset(opened: BrowserWindow): Promise<void> {
    const { context } = opened;
    try {
      await Promise.all(context.pages().map((page) => page.close()));
      await context.setOffline(false);
      await context.clearPermissions();
      await context.setStorageState({ cookies: [], origins: [] });
      this.idle.add(opened);
    } catch {
      await context.close();
    }
  }
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
