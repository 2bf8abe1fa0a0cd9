import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isNativeError } from 'node:util/types';

const FOLDER_PREFIX = 'batuta-agent-';

/** The folders of temporary files that this process has made. */
const ownFolders = new Set<string>();

/**
 * Makes an agent's folder of temporary files. Its name contains the process id of the agent. Throws an Error that names the
 * variable of the parent folder if that fails.
 */
export function makeAgentFolder(parent: string): string {
  const folder = makeFolder(join(parent, `${FOLDER_PREFIX}${process.pid}-`));
  ownFolders.add(folder);
  return folder;
}

function makeFolder(prefix: string): string {
  try {
    return mkdtempSync(prefix);
  } catch (error) {
    const reason = isNativeError(error) ? error.message : String(error);
    throw new Error(`The agent cannot make a folder for temporary files, see the variable TMPDIR: ${reason}`, {
      cause: error,
    });
  }
}

/**
 * Removes the folders of killed agents of this user. A folder stays if its process id is in use again by another
 * process; in a container every agent has the same id, so a folder with this process's own id is removed.
 */
export function removeLeftoverFolders(parent: string, isAlive = isProcessAlive): void {
  try {
    for (const name of readdirSync(parent)) {
      const [, pid] = /^batuta-agent-(\d+)-\w{6}$/.exec(name) ?? [];
      if (pid === undefined) continue;
      const folder = join(parent, name);
      const isLeft = Number(pid) === process.pid ? !ownFolders.has(folder) : !isAlive(Number(pid));
      if (isLeft) removeOwn(folder);
    }
  } catch {
    // Ignored: an agent can make its own folder also in a parent that it cannot list.
  }
}

function removeOwn(folder: string): void {
  try {
    // Only a folder of this user is removed: otherwise an agent of root would follow links that another user put into
    // it.
    if (process.getuid && lstatSync(folder).uid !== process.getuid()) return;
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Ignored: another agent removes the folder at the same time, or its files are in use.
  }
}

function isProcessAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return Reflect.get(Object(error), 'code') === 'EPERM';
  }
}
