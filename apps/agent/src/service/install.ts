import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ServicePlan } from './service-plan';

/** Runs a command, waits for its end, and returns its exit code. */
export type RunCommand = (command: string[]) => number;

/**
 * Writes the files and starts the service. A second installation, after an interruption or with other settings,
 * replaces the first service. Throws an Error for the user when a needed file is missing, a file cannot be written or protected, or the last
 * command fails.
 */
export function installService(plan: ServicePlan, run: RunCommand = runCommand): void {
  const { files, protectCommands = [], startCommands, needs } = plan;
  if (needs && !existsSync(needs.path)) throw new Error(`${needs.path} is missing: ${needs.from}`);
  for (const { path, text, mode } of files) changeFile(path, () => writeAtomically(path, text, mode));
  for (const command of protectCommands) {
    const code = run(command);
    if (code === 0) continue;
    // An older service may still be registered with this file; without the file nobody could uninstall it.
    uninstallService(plan, run);
    throw new Error(
      `"${command.join(' ')}" failed with exit code ${code}: without it other users could read the key; the service and its file are removed: install it again`,
    );
  }
  const results = startCommands.map((command) => ({ command, code: run(command) }));
  const last = results.at(-1);
  // Only the last command must succeed: an earlier one may stop a service that does not exist.
  if (last && last.code !== 0) throw new Error(`"${last.command.join(' ')}" failed with exit code ${last.code}`);
}

/** Stops the service and removes its files. A file or service that is missing is no error. */
export function uninstallService(plan: ServicePlan, run: RunCommand = runCommand): void {
  for (const command of plan.stopCommands) run(command);
  removeFiles(plan);
}

function removeFiles({ files }: ServicePlan): void {
  for (const { path } of files) changeFile(path, () => rmSync(path, { force: true }));
}

/** Runs `change`, which writes or removes the file `path`. Without the rights for it, throws an error that says which account has them. */
function changeFile(path: string, change: () => void): void {
  try {
    change();
  } catch (error) {
    const { code } = Object(error);
    if (code !== 'EACCES' && code !== 'EPERM') throw error;
    throw new Error(
      `only an administrator may change ${path}: run the command as root (sudo), or on Windows as administrator`,
      { cause: error },
    );
  }
}

/**
 * Writes the file so that no reader sees an incomplete file, and no other user reads a secret before its mode is set.
 */
function writeAtomically(path: string, text: string, mode: number): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  const temporary = `${path}.new`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, text, { mode });
  chmodSync(temporary, mode);
  renameSync(temporary, path);
}

function runCommand([program = '', ...args]: string[]): number {
  return spawnSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'] }).status ?? 1;
}
