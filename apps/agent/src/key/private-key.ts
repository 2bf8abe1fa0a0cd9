import { linkSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isNativeError } from 'node:util/types';
import { AgentPrivateKey } from '@batuta/secrets';

/** Value of the setting for the folder with which the key is only in memory; each start makes a new one. */
export const NO_STATE_FOLDER = 'none';

const KEY_FILE = 'agent-key.pem';
const OTHERS_MAY_READ = 0o077;

export interface LoadedKey {
  key: AgentPrivateKey;
  /** Where the key is stored; undefined = only in memory. */
  path: string | undefined;
  /** Why the key is not stored, or not stored safely; absent with the setting `none`. */
  problem?: string;
}

export function keyPath(folder: string): string {
  return join(folder, KEY_FILE);
}

/**
 * Loads the private key of the agent from the folder, where only the agent's user may read it; makes it at the first
 * start. If the file cannot be read or written, or holds no key, each start makes a new key in memory, and `problem` says why.
 */
export function loadPrivateKey(folder: string): LoadedKey {
  if (folder === NO_STATE_FOLDER) return { key: AgentPrivateKey.generate(), path: undefined };
  const path = keyPath(folder);
  try {
    const key = readKey(path) ?? makeKey(folder, path);
    return { key, path, ...(isReadableByOthers(path) && { problem: `other users may read ${path}` }) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { key: AgentPrivateKey.generate(), path: undefined, problem: `${path} cannot be used: ${reason}` };
  }
}

/** Returns undefined when there is no key file. Throws when its content is no key or cannot be read. */
export function readKey(path: string): AgentPrivateKey | undefined {
  try {
    return AgentPrivateKey.fromPem(readFileSync(path, 'utf8'));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/**
 * Writes the key atomically, so that a crash leaves no incomplete file. If two agents start at the same time, both use
 * the key that was written first.
 */
function makeKey(folder: string, path: string): AgentPrivateKey {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const unfinished = mkdtempSync(join(folder, '.new-'));
  try {
    const key = AgentPrivateKey.generate();
    const file = join(unfinished, KEY_FILE);
    writeFileSync(file, key.toPem(), { mode: 0o600, flush: true });
    nameUnlessTaken(file, path);
    return key;
  } catch (error) {
    const made = hasCode(error, 'EEXIST') ? readKey(path) : undefined;
    if (made) return made;
    throw error;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/**
 * Gives the file its name; throws EEXIST when another agent was first. A file system without hard links, such as a share of Windows that
 * Kubernetes mounts, does not notice that: there the later key of two first starts is kept.
 */
function nameUnlessTaken(file: string, path: string): void {
  try {
    linkSync(file, path);
  } catch (error) {
    if (hasCode(error, 'EEXIST')) throw error;
    renameSync(file, path);
  }
}

/** Windows has no permission modes: there the folder of a user is readable only by that user. */
export function isReadableByOthers(path: string): boolean {
  return process.platform !== 'win32' && (statSync(path).mode & OTHERS_MAY_READ) !== 0;
}

function hasCode(error: unknown, code: string): boolean {
  return isNativeError(error) && 'code' in error && error.code === code;
}
