import { chmodSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isNativeError } from 'node:util/types';
import { refusal, usageError } from '../exit-codes';
import { isRecord } from '@batuta/process-files';
import { readText } from '../files/read-text';
import type { Terminal } from '../terminal/terminal';
import { whileLocked, writeAtomically } from './atomic-file';
import { configFolder } from './config-folder';

/** One account at one installation. Its secrets are sent only to the addresses that are stored with them. */
export interface Profile {
  /** The address of the console that issued the token. */
  console?: string;
  /** The address of the gateway to which the credential and the process keys belong. */
  gateway?: string;
  /** The e-mail address of the account that logged in last. */
  email?: string;
  /** Token of the login session. */
  token?: string;
  /** The end of the login session, as an ISO time. */
  expiresAt?: string;
  /** Account credential of the public API. */
  credential?: string;
  /** Process keys by process id. */
  processKeys?: Record<string, string>;
}

const DEFAULT_PROFILE = 'default';

const PROFILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const OTHERS_MAY_READ = 0o077;
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const TEXT_FIELDS = ['console', 'gateway', 'email', 'token', 'expiresAt', 'credential'] as const;

/** Stores each profile in its own file, so that simultaneous logins to two profiles do not overwrite each other. */
export class ProfileStore {
  readonly folder: string;
  private readonly onWindows: boolean;

  constructor(
    terminal: Pick<Terminal, 'env' | 'platform' | 'homeFolder'>,
    private readonly warn: (text: string) => void = () => {},
  ) {
    this.folder = configFolder(terminal);
    this.onWindows = terminal.platform === 'win32';
  }

  /** Throws CommandFailure for a name that no profile can have. */
  pathOf(name: string): string {
    if (!PROFILE_NAME.test(name)) {
      throw usageError('The name of a profile has 1 to 64 letters, digits, dots, hyphens and underscores.');
    }
    return join(this.folder, 'profiles', `${name}.json`);
  }

  /** The names of all profiles, sorted. */
  names(): string[] {
    return (ifExists(() => readdirSync(join(this.folder, 'profiles'))) ?? [])
      .filter((file) => file.endsWith('.json') && PROFILE_NAME.test(file.slice(0, -'.json'.length)))
      .map((file) => file.slice(0, -'.json'.length))
      .toSorted();
  }

  /**
   * Undefined when there is no such profile. A file that other users may read is made private if that is possible, with a warning. Throws
   * CommandFailure for a file that is no profile, and for a name that no profile can have.
   */
  read(name: string): Profile | undefined {
    const path = this.pathOf(name);
    const text = ifExists(() => readText(path));
    if (text === undefined) return undefined;
    this.protect(path);
    return parseProfile(path, text);
  }

  /**
   * Creates the profile, or changes the one that is stored at that moment, which another program may have written; its file is readable for this
   * user alone. Returns the new profile. Throws as `read` does.
   */
  update(name: string, change: (profile: Profile) => Profile): Profile {
    const path = this.pathOf(name);
    return whileLocked(path, PRIVATE_FOLDER, () => {
      const profile = change(this.read(name) ?? {});
      writeAtomically(path, `${JSON.stringify(profile, undefined, 2)}\n`, PRIVATE_FILE, PRIVATE_FOLDER);
      return profile;
    });
  }

  /** Deletes the profile, which is then no longer the current one; false when there is none. */
  remove(name: string): boolean {
    const path = this.pathOf(name);
    const existed = ifExists(() => statSync(path)) !== undefined;
    rmSync(path, { force: true });
    if (this.current() === name) rmSync(join(this.folder, 'current'), { force: true });
    return existed;
  }

  /** The name of the profile that is used when a command names none: the one of the last `use`, or else `default`. */
  current(): string {
    const name = ifExists(() => readFileSync(join(this.folder, 'current'), 'utf8'))?.trim();
    return name !== undefined && PROFILE_NAME.test(name) ? name : DEFAULT_PROFILE;
  }

  /** Makes the profile the current one. Throws CommandFailure when there is no such profile. */
  use(name: string): void {
    if (!this.names().includes(name)) throw refusal(`There is no profile ${name}.`, 'batuta profiles list');
    writeAtomically(join(this.folder, 'current'), `${name}\n`, PRIVATE_FILE, PRIVATE_FOLDER);
  }

  private protect(path: string): void {
    // Windows has no file modes; there only the user can read the user's folder.
    if (this.onWindows || (statSync(path).mode & OTHERS_MAY_READ) === 0) return;
    try {
      chmodSync(path, PRIVATE_FILE);
      this.warn(`Other users could read ${path}; it is private now. Log out and in again if that matters.`);
    } catch {
      // The file belongs to another user, or is part of a file system that cannot be written, such as a mounted secret.
      this.warn(`Other users can read ${path}, and it cannot be made private.`);
    }
  }
}

function parseProfile(path: string, text: string): Profile {
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value)) throw new Error('no object');
    const { processKeys } = value;
    const texts = TEXT_FIELDS.flatMap((field) => (typeof value[field] === 'string' ? [[field, value[field]]] : []));
    const keys = isRecord(processKeys) ? Object.entries(processKeys) : [];
    const known = keys.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    return { ...Object.fromEntries(texts), ...(known.length > 0 && { processKeys: Object.fromEntries(known) }) };
  } catch {
    throw refusal(`${path} is no profile.`, 'remove the file and log in again');
  }
}

function ifExists<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isNativeError(error) && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined;
    throw error;
  }
}
