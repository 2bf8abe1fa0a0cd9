import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  openSync,
  closeSync,
  fsyncSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isNativeError } from 'node:util/types';

const LOCK_PAUSE_MS = 20;
/** Five seconds. */
const MAX_LOCK_ATTEMPTS = 250;
const NEVER_CHANGED = new Int32Array(new SharedArrayBuffer(4));

/**
 * Writes a file, and creates its folder if that is missing. Readers see the whole new content, or what was there before, also when two programs
 * write the file at the same time.
 */
export function writeAtomically(path: string, text: string, mode = 0o644, folderMode = 0o755): void {
  makeFolder(dirname(path), folderMode);
  const unfinished = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`);
  try {
    // `wx` follows no existing link, and the mode is set before the first byte is written.
    const file = openSync(unfinished, 'wx', mode);
    try {
      // A disk that becomes full takes a part of the bytes without an error; only the next write fails.
      for (let rest = Buffer.from(text); rest.length > 0;) rest = rest.subarray(writeSync(file, rest));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/**
 * Does `work` while no other program does work under the lock of the same path. It takes over a lock that one holder does not release
 * within five seconds, because that program was killed: work under a lock takes milliseconds.
 */
export function whileLocked<T>(path: string, folderMode: number, work: () => T): T {
  makeFolder(dirname(path), folderMode);
  const lock = `${path}.lock`;
  let holder: string | undefined;
  for (let attempts = 1; !createLock(lock); attempts += 1) {
    const previousHolder = holder;
    holder = holderOf(lock);
    if (holder !== previousHolder) attempts = 1;
    if (attempts % MAX_LOCK_ATTEMPTS === 0) rmSync(lock, { force: true });
    else Atomics.wait(NEVER_CHANGED, 0, 0, LOCK_PAUSE_MS);
  }
  try {
    return work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Tells one holder of the lock from the next; undefined when the lock has been released. */
function holderOf(lock: string): string | undefined {
  const file = statSync(lock, { bigint: true, throwIfNoEntry: false });
  return file && `${file.ino} ${file.mtimeNs}`;
}

/** False when another program has the lock. */
function createLock(lock: string): boolean {
  try {
    closeSync(openSync(lock, 'wx', 0o600));
    return true;
  } catch (error) {
    if (isNativeError(error) && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Not `recursive` of `mkdirSync`, which never returns where ENOENT refuses a folder whose parent exists, as in /proc. */
function makeFolder(path: string, mode: number): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another program may have made it meanwhile.
    if (!existsSync(path)) throw error;
  }
}
