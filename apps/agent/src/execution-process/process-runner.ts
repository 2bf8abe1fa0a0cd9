import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Logger } from '@batuta/logging';
import type { AgentConfig } from '../config';
import type { InternalErrorLog } from './execution-log';
import { ExecutionProcess, type ProcessPlan } from './execution-process';
import { sandboxSettings } from './flow-effects';
import { enforceableLimitsOn } from './limits/enforceable-limits';
import { LimitWatch } from './limits/limit-watch';
import { Priority } from './priority';
import { runInProcess } from './run-in-process';
import type { Runner } from './runner';
import { makeAgentFolder, removeLeftoverFolders } from './agent-folders';
import { WarmPool } from './warm-pool';

/** Path of the program that runs one execution; the build puts it beside the agent's program. */
const RUN_PROGRAM = join(__dirname, 'run.js');

/** Maximum number of processes that are started for one execution until one of them is ready. */
const MAX_STARTS = 3;

/** Runs each execution in a separate OS process (`isolation: process`). */
export function processRunner(
  config: AgentConfig,
  logger: Logger,
  logInternalError: InternalErrorLog,
  { program, stopGraceMs, startLimitMs }: { program?: string; stopGraceMs?: number; startLimitMs?: number } = {},
): Runner {
  const plan = processPlan(config, program);
  const { limits, enforceable } = plan;
  const watch = new LimitWatch(limits, enforceable.procfs ? undefined : null);
  const running = new Set<ExecutionProcess>();
  const priority = new Priority();
  /** The first process in a folder stores its compiled modules for later processes. */
  let isFirst = true;
  const start = (isSpare: boolean) => {
    // The folder is created again if it is missing: systems remove old temporary folders, and an agent runs for months.
    if (!existsSync(plan.folder)) {
      plan.folder = makeAgentFolder(tmpdir());
      isFirst = true;
    }
    const process = new ExecutionProcess(plan, { warmsUp: isSpare, storesModules: isFirst, startLimitMs });
    isFirst = false;
    if (isSpare) priority.lower(process.pid);
    return process;
  };
  const watchUntilGone = async (process: ExecutionProcess) => {
    running.add(process);
    watch.add(process);
    await process.gone;
    running.delete(process);
    watch.remove(process);
  };
  let isClosed = false;
  const takeReady = async () => {
    for (let attempt = 1; ; attempt += 1) {
      const process = pool.take();
      priority.raise(process.pid);
      void watchUntilGone(process);
      await process.ready;
      // A process that ended before it was ready has run nothing of the flow, so another process may run it.
      if (!process.hasEnded || isClosed || attempt === MAX_STARTS) return process;
    }
  };
  const pool = new WarmPool(config.warmProcesses, start, logger);
  removeLeftoverFolders(tmpdir());

  return {
    run: async (offer, control, sink) => {
      let process: ExecutionProcess;
      try {
        process = await takeReady();
      } catch (error) {
        logInternalError(offer, `no process could be started: ${String(error)}`);
        const errorMessage = 'The agent could not start a process for the execution';
        return { outcome: 'CRASHED', errorStep: null, errorMessage };
      }
      return runInProcess(process, {
        offer,
        control,
        sink,
        limits,
        settings: {
          hosts: config.hosts,
          proxies: config.proxies,
          stepLimit: config.stepLimit,
          browser: config.browser,
        },
        logInternalError: (text) => logInternalError(offer, text),
        stopGraceMs,
        checkUsage: (usage) => watch.check(process, usage),
      });
    },
    problem: () => (pool.canStart ? undefined : 'no process for an execution can be started'),
    close: async () => {
      isClosed = true;
      await pool.close();
      for (const process of running) process.kill();
      await Promise.all([...running].map(({ gone }) => gone));
      await rm(plan.folder, { recursive: true, force: true });
    },
  };
}

/**
 * The plan for the settings. Makes a new folder for temporary files, which the caller removes in the end; throws an Error when that fails.
 */
export function processPlan(config: AgentConfig, program = RUN_PROGRAM): ProcessPlan {
  return {
    program,
    folder: makeAgentFolder(tmpdir()),
    moduleCache: process.env['NODE_COMPILE_CACHE'],
    limits: config.processLimits,
    enforceable: enforceableLimitsOn(),
    setup: { sandbox: sandboxSettings(config.sandbox), caFile: config.caFile && resolve(config.caFile) },
  };
}
