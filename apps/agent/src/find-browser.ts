import { accessSync, constants, statSync } from 'node:fs';
import { posix, win32 } from 'node:path';

/** The settings about the browser; `program` is a path, `off`, or empty to search the usual places. For root `sandbox` counts as false. */
export interface BrowserSettings {
  program: string;
  sandbox: boolean;
}

/** The browser that browser steps start on this machine. */
export interface BrowserProgram {
  path: string;
  /** Whether the browser's own sandbox, which keeps pages from the machine, is on. */
  sandbox: boolean;
}

/** Facts of the machine that the search for a browser uses; tests replace them. */
export interface MachineFacts {
  platform: NodeJS.Platform;
  env: NodeJS.ProcessEnv;
  isProgram(path: string): boolean;
}

/** The setting by which the operator names the browser. */
export const BROWSER_SETTING = 'BATUTA_AGENT_BROWSER';
/** The value of BATUTA_AGENT_BROWSER with which the agent runs no browser steps. */
export const NO_BROWSER = 'off';

const LINUX_NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'microsoft-edge-stable'];
const LINUX_FOLDERS = ['/usr/bin', '/usr/local/bin', '/snap/bin', '/opt/google/chrome'];
const MAC_APPS = ['Google Chrome', 'Chromium', 'Microsoft Edge'];
const WINDOWS_PROGRAMS = [
  String.raw`Google\Chrome\Application\chrome.exe`,
  String.raw`Chromium\Application\chrome.exe`,
  String.raw`Microsoft\Edge\Application\msedge.exe`,
];

const thisMachine: MachineFacts = { platform: process.platform, env: process.env, isProgram };

/**
 * The path of a Chromium, Chrome or Edge: the program that the setting names, or, only if the setting is empty, the first in the
 * usual places of the system. Undefined for `off`, and when there is no such program.
 */
export function findBrowser(setting: string, machine = thisMachine): string | undefined {
  if (setting === NO_BROWSER) return undefined;
  return (setting === '' ? usualPlaces(machine) : [setting]).find((path) => machine.isProgram(path));
}

/** The browser that the agent's settings name, or that is found on the machine; undefined without one. */
export function browserOf({ program, sandbox }: BrowserSettings): BrowserProgram | undefined {
  const path = findBrowser(program);
  // Chromium refuses to run its sandbox as root.
  return path === undefined ? undefined : { path, sandbox: sandbox && process.getuid?.() !== 0 };
}

function usualPlaces({ platform, env }: MachineFacts): string[] {
  if (platform === 'win32') {
    const roots = [env['ProgramFiles'], env['ProgramFiles(x86)'], env['LOCALAPPDATA']].filter((root) => root);
    return WINDOWS_PROGRAMS.flatMap((program) => roots.map((root) => win32.join(root ?? '', program)));
  }
  if (platform === 'darwin') {
    const folders = ['/Applications', ...(env['HOME'] ? [posix.join(env['HOME'], 'Applications')] : [])];
    return MAC_APPS.flatMap((app) => folders.map((folder) => `${folder}/${app}.app/Contents/MacOS/${app}`));
  }
  const folders = [...(env['PATH'] ?? '').split(':').filter((folder) => folder.startsWith('/')), ...LINUX_FOLDERS];
  return LINUX_NAMES.flatMap((name) => folders.map((folder) => posix.join(folder, name)));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
