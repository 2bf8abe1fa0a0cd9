import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentConfig } from '../config';
import type { Finding } from './finding';

const MB = 1024 * 1024;
const MIN_DISK_MB = 100;
const LOW_DISK_MB = 1024;
/** Memory of the agent without its sandboxes. */
const AGENT_MB = 200;
/** The first release with every function that the agent uses. */
export const MIN_NODE = '24.5.0';

export function checkNode(version: string): Finding {
  const found = `Node.js ${version}`;
  if (isAtLeast(version, MIN_NODE)) return { check: 'node', state: 'ok', found };
  return { check: 'node', state: 'fault', found, advice: `install Node.js ${MIN_NODE} or a later one` };
}

/** `runs`: the step types that this agent runs, of `known`, all step types of a flow. */
export function checkAbilities(runs: readonly string[], known: readonly string[]): Finding {
  const lacking = known.filter((type) => !runs.includes(type));
  if (lacking.length === 0) return { check: 'abilities', state: 'ok', found: `runs ${runs.join(', ')}` };
  const found = `runs ${runs.join(', ')}; does not run ${lacking.join(', ')}`;
  return { check: 'abilities', state: 'warning', found, advice: 'only flows without those steps can run here' };
}

/** Writes into the folder, and measures the room on its disk. */
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

export function checkMemory({ sandbox }: Pick<AgentConfig, 'sandbox'>, availableBytes: number): Finding {
  const available = Math.floor(availableBytes / MB);
  const need = AGENT_MB + sandbox.workers * sandbox.memoryMegabytes;
  const found = `${available} MB available; the agent needs up to ${need} MB`;
  if (available >= need) return { check: 'memory', state: 'ok', found };
  const advice = 'give the machine more memory, or lower --sandbox-workers or --sandbox-memory-mb';
  return { check: 'memory', state: 'fault', found, advice };
}

function isAtLeast(version: string, least: string): boolean {
  const numbers = (text: string) => text.replace(/^v/, '').split('.').map(Number);
  const [given, wanted] = [numbers(version), numbers(least)];
  const different = wanted.findIndex((number, index) => number !== given[index]);
  return different < 0 || (given[different] ?? 0) > (wanted[different] ?? 0);
}
