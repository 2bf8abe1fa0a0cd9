import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Owner } from '../../support/tenants/factories';

export const LANGUAGES = ['pt-BR', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The window sizes of a phone and of a desktop. */
export const VIEWPORTS = { narrow: { width: 360, height: 740 }, wide: { width: 1440, height: 900 } };

/** Time limit of the waits of a test for a page, long enough for a busy machine. */
const PATIENCE_MS = 120_000;

/** A file of the console that runs no script. */
const BLANK_PATH = '/favicon.svg';

export interface PageOptions {
  language?: Language;
  viewport?: keyof typeof VIEWPORTS;
  colorScheme?: 'light' | 'dark';
  /** The account that is logged in. */
  as?: Pick<Owner, 'email' | 'password'>;
}

interface BrowserWindow {
  context: BrowserContext;
  page: Page;
  language: Language;
}

/**
 * The browser windows of the tests, each with cookies and storage of its own. A window of a test that has ended is emptied and used again, because
 * a new one would load and compile all scripts of the console again.
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
    const { language = 'pt-BR', viewport = 'wide', colorScheme = 'light', as } = options;
    const window = this.takeIdle(language) ?? (await this.create(language));
    this.inUse.add(window);
    const { context, page } = window;
    await page.setViewportSize(VIEWPORTS[viewport]);
    await page.emulateMedia({ colorScheme });
    this.watch(page);
    if (as) {
      const { email, password } = as;
      const answer = await context.request.post('/manage/v1/session', { data: { email, password } });
      expect(answer.status()).toBe(201);
    }
    await page.goto(path);
    return page;
  }

  /** Windows that are in use now stay open after the next test. */
  keepOpen(): void {
    for (const window of this.inUse) this.kept.add(window);
  }

  /** Ends the use of the windows of the test that has ended, and with `kept` of all. */
  async release({ kept = false } = {}): Promise<void> {
    if (kept) this.kept.clear();
    const released = [...this.inUse].filter((window) => !this.kept.has(window));
    for (const window of released) this.inUse.delete(window);
    await Promise.all(released.map((window) => this.empty(window)));
    this.failedRequests = [];
  }

  /** The failed requests of the test, with the texts that its windows show now. */
  async describe(): Promise<string> {
    const pages = [...this.inUse].flatMap(({ context }) => context.pages());
    const texts = await Promise.all(
      pages.map(async (page) => {
        const notifications = JSON.stringify(await page.evaluate('window.shownNotifications'));
        return `${page.url()} has notified ${notifications} and shows:\n${await page.locator('body').innerText()}`;
      }),
    );
    return ['Failed requests:', ...this.failedRequests, ...texts].join('\n');
  }

  private takeIdle(language: Language): BrowserWindow | undefined {
    const window = [...this.idle].find((one) => one.language === language);
    if (window) this.idle.delete(window);
    return window;
  }

  private async create(language: Language): Promise<BrowserWindow> {
    const context = await this.browser.newContext({
      baseURL: this.url,
      locale: language,
      timezoneId: 'America/Sao_Paulo',
      reducedMotion: 'reduce',
    });
    context.setDefaultTimeout(PATIENCE_MS);
    await context.addInitScript(COLLECT_NOTIFICATIONS);
    return { context, page: await context.newPage(), language };
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

  /** Removes everything that a test can leave in a window. A window whose page the test has closed is closed as well. */
  private async empty(window: BrowserWindow): Promise<void> {
    const { context, page } = window;
    if (page.isClosed()) return context.close();
    await Promise.all(context.pages().map((other) => (other === page ? undefined : other.close())));
    page.removeAllListeners();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.setOffline(false);
    await context.clearCookies();
    await context.clearPermissions();
    await page.goto(BLANK_PATH);
    await page.evaluate('localStorage.clear(), sessionStorage.clear()');
    this.idle.add(window);
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
