import { randomUUID } from 'node:crypto';
import { mkdirSync, openSync, closeSync, fsyncSync, renameSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Writes a file so that readers see its whole content or no file, also when two programs write it at the same time. */
export function writeAtomically(path: string, text: string, mode = 0o644, folderMode = 0o755): void {
  mkdirSync(dirname(path), { recursive: true, mode: folderMode });
  const unfinished = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`);
  try {
    // `wx` follows no existing link, and the mode is set before the first byte is written.
    const file = openSync(unfinished, 'wx', mode);
    try {
      writeSync(file, text);
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
