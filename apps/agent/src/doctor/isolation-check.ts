import { rm } from 'node:fs/promises';
import type { AgentConfig } from '../config';
import { ExecutionProcess, type ProcessPlan } from '../execution-process/execution-process';
import type { EnforceableLimits } from '../execution-process/limits/enforceable-limits';
import { processPlan } from '../execution-process/process-runner';
import type { Finding } from './finding';

const CHECK_NAME = 'isolation';

/** Starts a process for an execution, measures its start time, and names the limits that this machine does not enforce. */
export async function checkIsolation(config: AgentConfig, program?: string): Promise<Finding> {
  if (config.isolation === 'none') {
    return {
      check: CHECK_NAME,
      state: 'ok',
      found: 'all executions run in the process of the agent (--isolation none)',
    };
  }
  let plan: ProcessPlan | undefined;
  try {
    plan = processPlan(config, program);
    const startedAt = performance.now();
    const process = new ExecutionProcess(plan);
    await process.ready;
    const milliseconds = Math.round(performance.now() - startedAt);
    const failed = process.hasEnded;
    process.kill();
    const { stderr } = await process.gone;
    if (!failed) return limitsFinding(milliseconds, plan.enforceable);
    const found = `a process for an execution does not start: ${/^.*Error.*$/m.exec(stderr)?.[0] ?? stderr}`;
    return { check: CHECK_NAME, state: 'fault', found, advice: 'see the log of the system, or use --isolation none' };
  } catch (error) {
    const found = `a process for an execution does not start: ${error instanceof Error ? error.message : String(error)}`;
    return {
      check: CHECK_NAME,
      state: 'fault',
      found,
      advice: 'let the user of the agent write into its temporary folder',
    };
  } finally {
    if (plan) await rm(plan.folder, { recursive: true, force: true });
  }
}

export function limitsFinding(milliseconds: number, { shell, parentDeath, procfs }: EnforceableLimits): Finding {
  const started = `a process for an execution is ready after ${milliseconds} ms`;
  const lacking = [
    ...(shell ? [] : ['the limit of open files']),
    ...(procfs ? [] : ['memory and processor time while an execution computes without a pause']),
    ...(parentDeath ? [] : ['the end of a computing execution when the agent is killed']),
  ];
  if (lacking.length === 0) return { check: CHECK_NAME, state: 'ok', found: `${started}; all limits are enforced` };
  return { check: CHECK_NAME, state: 'ok', found: `${started}; this machine does not enforce ${lacking.join(', ')}` };
}
