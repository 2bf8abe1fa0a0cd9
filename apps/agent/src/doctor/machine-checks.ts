import { existsSync } from 'node:fs';
import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { AgentConfig } from '../config';
import { isReadableByOthers, keyPath, NO_STATE_FOLDER, readKey } from '../key/private-key';
import type { Finding } from './finding';

const MB = 1024 * 1024;
/** Less free disk than this is a fault. */
const MIN_DISK_MB = 100;
/** Less free disk than this is a warning. */
const LOW_DISK_MB = 1024;
/** Memory of the agent without the executions. */
const AGENT_MB = 150;
/** Megabytes that the process of one execution needs, without the memory that all processes share. */
const PROCESS_MB = 50;
/** The oldest Node release that has every function that the agent uses. */
export const MIN_NODE_VERSION = '24.5.0';

/** Throws an Error with a sentence for the user if the release is older than MIN_NODE_VERSION: every execution would fail. */
export function requireNode(version: string): void {
  if (!isSupportedNode(version))
    throw new Error(`This is Node.js ${version}: install Node.js ${MIN_NODE_VERSION} or a later one`);
}

export function checkNode(version: string): Finding {
  const found = `Node.js ${version}`;
  if (isSupportedNode(version)) return { check: 'node', state: 'ok', found };
  return { check: 'node', state: 'fault', found, advice: `install Node.js ${MIN_NODE_VERSION} or a later one` };
}

/** `runs`: the step types that this agent runs; `known`: all step types. */
export function checkAbilities(runs: readonly string[], known: readonly string[]): Finding {
  const lacking = known.filter((type) => !runs.includes(type));
  if (lacking.length === 0) return { check: 'abilities', state: 'ok', found: `runs ${runs.join(', ')}` };
  const found = `runs ${runs.join(', ')}; does not run ${lacking.join(', ')}`;
  return { check: 'abilities', state: 'warning', found, advice: 'only flows without those steps can run here' };
}

/** `missing`: the optional packages that this machine lacks. */
export function checkOcr(missing: readonly string[]): Finding {
  if (missing.length === 0) return { check: 'ocr', state: 'ok', found: 'reads the text of pictures' };
  return {
    check: 'ocr',
    state: 'warning',
    found: `the text of pictures cannot be read: ${missing.join(', ')} missing`,
    advice: `for flows with {name.OCR}: npm install ${missing.join(' ')} beside the agent`,
  };
}

/** Writes a file into the folder, and measures the free space of its disk. */
export async function checkDisk(check: string, folder: string): Promise<Finding> {
  try {
    const probe = await mkdtemp(join(folder, 'batuta-doctor-'));
    try {
      await writeFile(join(probe, 'probe'), 'x');
    } finally {
      await rm(probe, { recursive: true, force: true });
    }
    const { bavail, bsize } = await statfs(folder);
    return diskFinding(check, folder, (bavail * bsize) / MB);
  } catch (error) {
    const found = `${folder} cannot be written: ${error instanceof Error ? error.message : String(error)}`;
    return {
      check,
      state: 'fault',
      found,
      advice: 'give the user of the agent the right to write there, or free the disk',
    };
  }
}

/** The folder if it exists, else its nearest parent that exists. The agent creates the missing folders when it starts. */
export function existingFolder(folder: string): string {
  const path = resolve(folder);
  return existsSync(path) || path === dirname(path) ? path : existingFolder(dirname(path));
}

export function diskFinding(check: string, folder: string, freeMegabytes: number): Finding {
  const found = `${Math.floor(freeMegabytes)} MB free at ${folder}`;
  if (freeMegabytes >= LOW_DISK_MB) return { check, state: 'ok', found };
  return {
    check,
    state: freeMegabytes < MIN_DISK_MB ? 'fault' : 'warning',
    found,
    advice: 'free some room on the disk',
  };
}

/**
 * Checks the private key of the agent. Creates none: a key created here would belong to the user who runs the doctor,
 * and the agent could not read it.
 */
export function checkPrivateKey(folder: string): Finding {
  const check = 'key';
  if (folder === NO_STATE_FOLDER) {
    const advice = 'set --state-folder, so that the key stays the same and its fingerprint can be compared';
    return { check, state: 'warning', found: 'in memory: another one after every start', advice };
  }
  const path = keyPath(folder);
  try {
    const key = readKey(path);
    if (!key) return { check, state: 'ok', found: `none yet: the agent makes one at its first start, in ${path}` };
    const found = `${key.publicKey.fingerprint}, in ${path}`;
    if (!isReadableByOthers(path)) return { check, state: 'ok', found };
    return { check, state: 'warning', found, advice: 'let only the user of the agent read this file (chmod 600)' };
  } catch (error) {
    const found = `${path} cannot be used: ${error instanceof Error ? error.message : String(error)}`;
    const advice = 'let the user of the agent read this file, or delete it: the agent then makes another key';
    return { check, state: 'fault', found, advice };
  }
}

type MemorySettings = Pick<AgentConfig, 'sandbox' | 'isolation' | 'capacity' | 'warmProcesses'>;

export function checkMemory(settings: MemorySettings, availableBytes: number): Finding {
  const available = Math.floor(availableBytes / MB);
  const need = AGENT_MB + executionsMegabytes(settings);
  const found = `${available} MB available; the agent needs up to ${need} MB`;
  if (available >= need) return { check: 'memory', state: 'ok', found };
  const other = settings.isolation === 'none' ? '--sandbox-workers' : '--capacity';
  const advice = `give the machine more memory, or lower ${other} or --sandbox-memory-mb`;
  return { check: 'memory', state: 'fault', found, advice };
}

/** Memory of executions without files, large responses and browsers. */
function executionsMegabytes({ sandbox, isolation, capacity, warmProcesses }: MemorySettings): number {
  if (isolation === 'none') return sandbox.workers * sandbox.memoryMegabytes;
  return (capacity + warmProcesses) * PROCESS_MB + capacity * sandbox.memoryMegabytes;
}

function isSupportedNode(version: string): boolean {
  const numbers = (text: string) => text.replace(/^v/, '').split('.').map(Number);
  const [given, wanted] = [numbers(version), numbers(MIN_NODE_VERSION)];
  const different = wanted.findIndex((number, index) => number !== given[index]);
  return different < 0 || (given[different] ?? 0) > (wanted[different] ?? 0);
}
