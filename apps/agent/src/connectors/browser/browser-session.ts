import { withTimeout } from '@batuta/async';
import type { BrowserContext, Dialog, Download, FrameLocator, Locator, Page } from 'playwright-core';
import { StepHostRefusedError } from '../../network/agent-host-rules';
import type { BrowserProcess } from './browser-process';
import { discardDownload } from './discard-download';
import { isForPage, noneWithoutFrame } from './failure';

/** A tab beyond this number is closed at once. */
const MAX_TABS = 10;
/** A browser whose pages open more dialogs in one step is killed. */
const MAX_DIALOGS = 100;
/** Number of notes of one step that reach the log; a page may cause any number. */
const MAX_NOTES = 10;
const MAX_NOTE_CHARACTERS = 300;
/** Number of hosts that pages did not reach in one step and that are remembered for notes. */
const MAX_NOTED_HOSTS = 50;
/** A page with more frames gets no picture, because a frame that is not searched may show a password. */
export const MAX_MASKED_FRAMES = 50;
const MAX_REMEMBERED_TYPES = 100;
/** Longest address whose media type is remembered; a page may make its address arbitrarily long. */
const MAX_REMEMBERED_URL_LENGTH = 10_000;
/** The attribute that marks form fields with secrets, which pictures do not show. */
const SECRET_ATTRIBUTE = 'data-batuta-secret';
const VIEWPORT_PIXELS = { width: 1280, height: 720 };

/** An element of the page: `frame` = selectors of the frames around it, the outermost first; `nth` = which of those found, from 0. */
export interface ElementPlace {
  selector: string;
  frame?: string | readonly string[];
  nth?: number;
}

/** The tabs of one execution's browser, as its steps use them. */
export class BrowserSession {
  /** Why the browser can no longer be used; undefined while it can. */
  lossReason: string | undefined;
  /** Why the host of a page that was to be loaded in the step was not reached. */
  unreachedPage: Error | undefined;
  /** How dialogs of pages are answered in the current step. */
  dialogs: 'dismiss' | 'accept' = 'dismiss';
  /** Open tabs, the active one last. */
  private readonly tabs: Page[] = [];
  private readonly secretPlaces = new Map<string, ElementPlace>();
  /** Media type of each page and file that was opened, by address. */
  private readonly types = new Map<string, string>();
  private notes = new Set<string>();
  private moreNotes = 0;
  /** One error for each host that a page requested during the step and did not reach. */
  private readonly unreachedHosts = new Map<string, Error>();
  /** Number of opened tabs that had not appeared when the wait for them timed out. */
  private slowTabs = 0;
  /** Ids of all tabs of the browser, also of tabs that Playwright does not report yet. */
  private readonly targets = new Set<string>();
  private tabWaiters: (() => void)[] = [];
  private onDownload: ((download: Download) => void) | undefined;
  private dialogCount = 0;
  private killing: Promise<void> | undefined;

  private constructor(
    readonly process: BrowserProcess,
    private readonly context: BrowserContext,
  ) {
    process.browser.on('disconnected', () => (this.lossReason ??= 'the browser ended'));
    context.on('page', (page) => this.onTabOpened(page));
    context.on('requestfailed', (request) => {
      const problem = this.noteFailedRequest(request.url());
      if (problem && isForPage(request)) this.unreachedPage = problem;
    });
    context.on('response', (response) => {
      if (response.request().isNavigationRequest())
        this.rememberType(response.url(), response.headers()['content-type']);
    });
  }

  static async open(process: BrowserProcess): Promise<BrowserSession> {
    const context = await process.browser.newContext({
      viewport: VIEWPORT_PIXELS,
      locale: 'pt-BR',
      acceptDownloads: true,
    });
    const session = new BrowserSession(process, context);
    await session.watchTargets();
    await context.newPage();
    return session;
  }

  /** The active tab. When the last tab was closed, an empty one is opened, so that the session always has a tab. */
  async activePage(): Promise<Page> {
    return this.tabs.at(-1) ?? (await this.context.newPage());
  }

  /** Address of the active tab; empty before a page is open, and once the browser cannot be used. */
  get url(): string {
    const url = this.lossReason === undefined ? this.tabs.at(-1)?.url() : undefined;
    return url === undefined || url === 'about:blank' ? '' : url;
  }

  /**
   * Resolves when every tab that a page opened has appeared, or after the given time. Playwright shows a tab only after its first page was answered.
   */
  async waitForOpeningTabs(milliseconds: number): Promise<void> {
    if (!this.awaitsTab) return;
    const opened = new Promise<void>((resolve) => this.tabWaiters.push(resolve));
    await withTimeout(opened, milliseconds, () => new Error('a tab is slow')).catch(() => undefined);
    this.slowTabs = Math.max(0, this.targets.size - this.context.pages().length);
  }

  /** The tabs in the order of their opening. */
  get pages(): readonly Page[] {
    return this.context.pages();
  }

  async activate(page: Page): Promise<void> {
    this.removeTab(page);
    this.tabs.push(page);
    await page.bringToFront();
  }

  async locate({ selector, frame, nth }: ElementPlace): Promise<Locator> {
    const found = (await this.root(frame)).locator(selector);
    return nth === undefined ? found : found.nth(nth);
  }

  /** Where an element is searched: the page, or the frame that the action names. */
  async root(frame: ElementPlace['frame'] = []): Promise<Page | FrameLocator> {
    let root: Page | FrameLocator = await this.activePage();
    for (const selector of typeof frame === 'string' ? [frame] : frame) root = root.frameLocator(selector);
    return root;
  }

  /** Resolves with the next download. A download that no action waits for is cancelled. */
  nextDownload(): Promise<Download> {
    return new Promise((resolve) => {
      this.onDownload = resolve;
    });
  }

  stopAwaitingDownload(): void {
    this.onDownload = undefined;
  }

  /** The media type with which this address, without its fragment, was loaded as a page or file; undefined if it was not, or is forgotten. */
  mediaTypeOf(url: string): string | undefined {
    return this.types.get(url.replace(/#.*$/s, ''));
  }

  /** Stops the loading of the active tab; resolves once its page reacts, so never while the page hangs. Rejects when the browser has ended. */
  async stopLoadingAndProbe(): Promise<void> {
    const page = await this.activePage();
    // Loading is stopped first, because the old page evaluates nothing while a new one loads.
    const session = await this.context.newCDPSession(page);
    await session.send('Page.stopLoading');
    await session.detach();
    await page.evaluate('true');
  }

  /**
   * Hides this element in all later pictures. The element is marked, because its selector may no longer find it once it
   * is filled; the selector is kept, too, because the page may create the element again. Waits at most `timeout`
   * milliseconds for the element.
   */
  async hideInPictures({ selector, frame, nth }: ElementPlace, timeout: number): Promise<void> {
    const place = { selector, frame, nth };
    this.secretPlaces.set(JSON.stringify(place), place);
    await (await this.locate(place)).evaluate(markInPage, SECRET_ATTRIBUTE, { timeout });
  }

  /**
   * The elements that pictures hide: fields with secrets, and password fields in every frame; undefined when the active tab has more
   * than MAX_MASKED_FRAMES frames.
   */
  async hiddenElements(): Promise<Locator[] | undefined> {
    const frames = (await this.activePage()).frames();
    if (frames.length > MAX_MASKED_FRAMES) return undefined;
    const filled = await Promise.all([...this.secretPlaces.values()].map((place) => this.secretsAt(place)));
    return [...filled.flat(), ...frames.map((frame) => frame.locator(`input[type=password], [${SECRET_ATTRIBUTE}]`))];
  }

  /** The elements at the place; none where the page has another element in place of the frame, because a picture that hides it would fail. */
  private async secretsAt(place: ElementPlace): Promise<Locator[]> {
    const element = await this.locate(place);
    return element.count().then(() => [element], noneWithoutFrame);
  }

  /** Adds a note for the log. A long text is cut, possibly in the middle of a secret. */
  noteForLog(text: string): void {
    if (this.notes.size < MAX_NOTES) this.notes.add(text.slice(0, MAX_NOTE_CHARACTERS));
    else this.moreNotes += 1;
  }

  /** Returns and clears the notes of a step, with its refused hosts, and begins the counts of the next step. */
  takeNotes(): string[] {
    for (const error of this.unreachedHosts.values()) {
      if (error instanceof StepHostRefusedError) this.noteForLog(`a page asked for a host, but ${error.message}`);
    }
    const notes = [...this.notes, ...(this.moreNotes > 0 ? [`and ${this.moreNotes} more such events`] : [])];
    this.notes.clear();
    this.moreNotes = 0;
    this.dialogCount = 0;
    this.unreachedHosts.clear();
    this.unreachedPage = undefined;
    this.process.proxy.forgetProblems();
    return notes;
  }

  /** Kills the browser and records why it can no longer be used. */
  killAsLost(reason: string): void {
    this.lossReason ??= reason;
    void this.kill();
  }

  kill(): Promise<void> {
    this.killing ??= this.process.kill();
    return this.killing;
  }

  private rememberType(url: string, type: string | undefined): void {
    if (this.types.size >= MAX_REMEMBERED_TYPES) this.types.clear();
    if (type !== undefined && url.length <= MAX_REMEMBERED_URL_LENGTH) this.types.set(url, type);
  }

  private get awaitsTab(): boolean {
    const missing = this.targets.size - this.context.pages().length;
    this.slowTabs = Math.min(this.slowTabs, Math.max(0, missing));
    return this.lossReason === undefined && missing > this.slowTabs;
  }

  private async watchTargets(): Promise<void> {
    const session = await this.process.browser.newBrowserCDPSession();
    session.on('Target.targetCreated', ({ targetInfo: { type, subtype, targetId } }) => {
      // A page that the browser preloads is not a tab.
      if (type === 'page' && !subtype) this.targets.add(targetId);
    });
    session.on('Target.targetDestroyed', ({ targetId }) => {
      this.targets.delete(targetId);
      this.wakeTabWaiters();
    });
    await session.send('Target.setDiscoverTargets', { discover: true });
  }

  private wakeTabWaiters(): void {
    if (!this.awaitsTab) for (const wake of this.tabWaiters.splice(0)) wake();
  }

  /**
   * Returns why the host of a failed request was not reached, and records it. Only requests of pages are recorded: those that the browser
   * makes by itself do not concern the author of the flow.
   */
  private noteFailedRequest(address: string): Error | undefined {
    if (!URL.canParse(address)) return undefined;
    const { protocol, hostname, port } = new URL(address);
    const host = `${hostname}:${port || (/^(https|wss):$/.test(protocol) ? 443 : 80)}`;
    const problem = this.process.proxy.problems.get(host);
    if (problem && this.unreachedHosts.size < MAX_NOTED_HOSTS) this.unreachedHosts.set(host, problem);
    return problem;
  }

  private onTabOpened(page: Page): void {
    this.wakeTabWaiters();
    if (this.tabs.length >= MAX_TABS) {
      this.noteForLog(`closed a tab, because a browser has at most ${MAX_TABS}`);
      void page.close().catch(() => undefined);
      return;
    }
    this.tabs.push(page);
    page.on('close', () => this.removeTab(page));
    page.on('crash', () => (this.lossReason ??= 'the page crashed'));
    page.on('dialog', (dialog) => void this.answerDialog(dialog).catch(() => undefined));
    page.on('websocket', (socket) => void socket.on('socketerror', () => this.noteFailedRequest(socket.url())));
    page.on('download', (download) => void this.handleDownload(download).catch(() => undefined));
  }

  private removeTab(page: Page): void {
    const index = this.tabs.indexOf(page);
    if (index >= 0) this.tabs.splice(index, 1);
  }

  private async answerDialog(dialog: Dialog): Promise<void> {
    this.dialogCount += 1;
    if (this.dialogCount > MAX_DIALOGS) return this.killAsLost('the page opens dialogs without end');
    // A `beforeunload` dialog asks whether to leave the page and must be accepted, otherwise the browser stays there.
    const accepts = dialog.type() === 'beforeunload' || this.dialogs === 'accept';
    this.noteForLog(`${accepts ? 'accepted' : 'dismissed'} the ${dialog.type()} "${dialog.message()}"`);
    // Without its default a prompt would be accepted with an empty text.
    await (accepts ? dialog.accept(dialog.defaultValue()) : dialog.dismiss());
  }

  private async handleDownload(download: Download): Promise<void> {
    const expected = this.onDownload;
    this.onDownload = undefined;
    if (expected) return expected(download);
    this.noteForLog(`cancelled a download that no action expects: ${download.suggestedFilename()}`);
    await discardDownload(download);
  }
}

/** Marks the element with an attribute; Playwright runs this function inside of the page. */
function markInPage(element: { setAttribute(name: string, value: string): void }, mark: string): void {
  element.setAttribute(mark, '');
}
