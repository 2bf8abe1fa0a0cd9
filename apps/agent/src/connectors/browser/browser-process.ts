import { mkdtemp, rm } from 'node:fs/promises';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Browser, BrowserServer } from 'playwright-core';
import { StepError } from '../../step-error';
import type { HostAccess } from '../../network/host-access';
import { PageProxy } from '../../network/page-proxy';
import { DISABLED_FEATURES_ARGUMENT } from './chromium-features';
import type { BrowserProgram } from '../../find-browser';
import { loadChromium } from './load-playwright';

const LAUNCH_TIME_LIMIT_MS = 30_000;
/**
 * Longest path of the folder of a browser: Chromium makes its socket `org.chromium.Chromium.XXXXXX/SingletonSocket` in
 * it, and the path of a socket has at most 103 bytes on macOS.
 */
const MAX_FOLDER_PATH_BYTES = 103 - 46;
/**
 * Environment variables that a browser inherits from the agent; the others, among them the activation key, are
 * withheld.
 */
const INHERITED_VARIABLES =
  /^(PATH|HOME|USER|LOGNAME|LANG|LANGUAGE|LC_.*|TZ|LD_LIBRARY_PATH|FONTCONFIG_.*|SystemRoot|SystemDrive|windir|COMSPEC|PATHEXT|USERPROFILE|APPDATA|LOCALAPPDATA|PROGRAM.*)$/i;

const CHROMIUM_ARGUMENTS = [
  DISABLED_FEATURES_ARGUMENT,
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Without these arguments WebRTC would send UDP past the proxy. The second name is for older versions of Chromium.
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
];
/**
 * Default arguments of Playwright that are removed, because with them a page can open windows and change its address
 * without end.
 */
const REMOVED_DEFAULT_ARGUMENTS = ['--disable-popup-blocking', '--disable-ipc-flooding-protection'];

/** One running browser with a folder and a proxy of its own. */
export class BrowserProcess {
  private constructor(
    readonly browser: Browser,
    readonly proxy: PageProxy,
    /** The folder into which the browser writes downloads in progress. */
    readonly downloads: string,
    private readonly server: BrowserServer,
    private readonly folder: string,
  ) {}

  /** Throws StepError when the browser does not start. */
  static async start({ path, sandbox }: BrowserProgram, hostAccess: HostAccess): Promise<BrowserProcess> {
    const chromium = await loadChromium();
    const proxy = await PageProxy.open(hostAccess);
    let folder: string;
    try {
      folder = await mkdtemp(join(tmpdir(), 'b-'));
    } catch (error) {
      proxy.close();
      throw new StepError(`the browser ${path} does not start: ${startFailure(error)}`);
    }
    const downloads = join(folder, 'downloads');
    let server: BrowserServer | undefined;
    try {
      server = await chromium.launchServer({
        executablePath: path,
        chromiumSandbox: sandbox,
        args: CHROMIUM_ARGUMENTS,
        ignoreDefaultArgs: REMOVED_DEFAULT_ARGUMENTS,
        // Playwright adds the rule `<-loopback>`, so requests to addresses of this machine also go through the proxy.
        proxy: { server: proxy.url },
        downloadsPath: downloads,
        env: browserEnvironment(folder),
        host: '127.0.0.1',
        timeout: LAUNCH_TIME_LIMIT_MS,
        // Playwright must not end the browser at a signal: the agent decides when it ends.
        handleSIGHUP: false,
        handleSIGINT: false,
        handleSIGTERM: false,
      });
      const browser = await chromium.connect(server.wsEndpoint(), { timeout: LAUNCH_TIME_LIMIT_MS });
      return new BrowserProcess(browser, proxy, downloads, server, folder);
    } catch (error) {
      await server?.kill();
      await closeProxyAndDeleteFolder(proxy, folder);
      throw new StepError(`the browser ${path} does not start: ${startFailure(error)}`);
    }
  }

  /** Ends all processes of the browser at once, then deletes its folder; a folder that cannot be deleted stays. */
  async kill(): Promise<void> {
    await this.server.kill();
    await closeProxyAndDeleteFolder(this.proxy, this.folder);
  }

  get isAlive(): boolean {
    const { exitCode, signalCode } = this.server.process();
    return exitCode === null && signalCode === null;
  }
}

async function closeProxyAndDeleteFolder(proxy: PageProxy, folder: string): Promise<void> {
  proxy.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined);
}

/** The environment variables of a browser that keeps its files in the folder. */
export function browserEnvironment(folder: string): Record<string, string> {
  const kept = Object.entries(process.env).flatMap(([name, value]) =>
    INHERITED_VARIABLES.test(name) && value !== undefined ? [[name, value] as const] : [],
  );
  const temporary = platform() === 'win32' || folder.length <= MAX_FOLDER_PATH_BYTES ? folder : '/tmp';
  // Home and temporary folders: the account of an operating-system service often has no home that it may write to.
  const own = { TMPDIR: temporary, TEMP: folder, TMP: folder, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder };
  return { ...Object.fromEntries(kept), ...own };
}

/** The line of the browser's output that says why it did not start. */
function startFailure(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (/no usable sandbox|sandbox_host_linux|setuid sandbox/i.test(text)) {
    return 'its sandbox does not work here; let unprivileged users make namespaces, or set BATUTA_AGENT_BROWSER_SANDBOX=off where pages are trusted';
  }
  const lines = stripVTControlCharacters(text)
    .split('\n')
    .map((line) => line.trim());
  const own = lines.find((line) => /error while loading shared libraries|:FATAL:/i.test(line));
  return (own ?? lines[0] ?? '').slice(0, 300);
}
