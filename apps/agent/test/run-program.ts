import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** For tests: the program of a process for one execution, made from the sources. */
export interface RunProgram {
  path: string;
  remove(): void;
}

export async function buildRunProgram(): Promise<RunProgram> {
  const folder = mkdtempSync(join(tmpdir(), 'batuta-run-program-'));
  // Runs in another process, because jest cannot load the bundler, which is an ES module.
  await promisify(execFile)(process.execPath, [join(__dirname, 'build-run-program.mjs'), folder]);
  return { path: join(folder, 'run.js'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
