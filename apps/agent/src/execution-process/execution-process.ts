import { withTimeout } from '@batuta/async';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProcessDeath } from './death-reason';
import { killGroup } from './kill-group';
import { limitedNode, type EnforceableLimits } from './limits/enforceable-limits';
import type { WatchedProcess } from './limits/limit-watch';
import { heapMegabytes, type ProcessLimits } from './limits/process-limits';
import { isFromChild, type ChildSetup, type FromChild, type ToChild } from './messages';

/**
 * Size of a semi-space of V8's young generation, which has three of this size at most and holds short-lived values; a
 * larger one costs memory in each process.
 */
const SEMI_SPACE_MEGABYTES = 4;
const STDERR_CHARACTERS = 4_000;
/**
 * How long messages are read after the process has exited; a program that inherited the channel keeps it open and must
 * not delay the end.
 */
const LAST_MESSAGES_TIME_LIMIT_MS = 1_000;
/** After this time a process that has not loaded its modules counts as hanging, even on a busy machine. */
const START_LIMIT_MS = 60_000;
/**
 * Environment variables that a process inherits from the agent; the agent's settings, which contain its key, are not
 * among them.
 */
const INHERITED_VARIABLES =
  /^(PATH|HOME|USER|LOGNAME|LANG|LANGUAGE|LC_\w+|TZ|LD_LIBRARY_PATH|NODE_ENV|NODE_OPTIONS|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|PLAYWRIGHT_BROWSERS_PATH|FONTCONFIG_\w+|XDG_\w+|SYSTEMROOT|WINDIR|SYSTEMDRIVE|COMSPEC|PATHEXT|USERPROFILE|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES(\(X86\))?|NUMBER_OF_PROCESSORS)$/i;

/** How the processes of executions are started. */
export interface ProcessPlan {
  /** Path of the program of a process: apps/agent/src/run.ts in a bundle. */
  program: string;
  /** Folder for the temporary files of all processes. */
  folder: string;
  /** Folder of compiled modules that the processes share; without it `modules` in `folder`. */
  moduleCache?: string;
  limits: ProcessLimits;
  enforceable: EnforceableLimits;
  setup: Pick<ChildSetup, 'sandbox' | 'caFile'>;
}

/** The agent's side of a process that runs one execution. */
export class ExecutionProcess implements WatchedProcess {
  /** Resolves when the modules are loaded, or when the process has ended. */
  readonly ready: Promise<void>;
  /** Resolves when the process, its group and its temporary files are gone and its last message was received. */
  readonly gone: Promise<ProcessDeath>;
  hasEnded = false;
  /** Called with each message of the process except `ready` and `program`. */
  onMessage: (message: FromChild) => void = () => undefined;
  private readonly child: ChildProcess;
  private readonly folder: string;
  private readonly startedPrograms = new Set<number>();
  private limitReason: string | undefined;
  private stderr = '';

  constructor(plan: ProcessPlan, { warmsUp = false, storesModules = false, startLimitMs = START_LIMIT_MS } = {}) {
    const folder = mkdtempSync(join(plan.folder, 'run-'));
    this.folder = folder;
    const reportsUsage = !plan.enforceable.procfs;
    const setup: ChildSetup = { ...plan.setup, folder, warmsUp, storesModules, reportsUsage };
    const flags = [
      `--max-old-space-size=${heapMegabytes(plan.limits)}`,
      `--max-semi-space-size=${SEMI_SPACE_MEGABYTES}`,
      // Few threads for compiling and garbage collection, because an execution is short and shares the machine with
      // others.
      '--v8-pool-size=1',
    ];
    this.child = fork(plan.program, [JSON.stringify(setup)], {
      ...limitedNode(process.execPath, flags, plan.limits, plan.enforceable),
      cwd: folder,
      env: childEnvironment(folder, plan.moduleCache ?? join(plan.folder, 'modules')),
      serialization: 'advanced',
      // Makes the process the leader of its own process group, which is killed as a whole.
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      windowsHide: true,
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr = (this.stderr + text).slice(-STDERR_CHARACTERS);
    });
    let isReady: () => void = () => undefined;
    const startTimer = setTimeout(
      () => this.killForLimit(`did not start within ${startLimitMs / 1_000} s`),
      startLimitMs,
    );
    this.ready = new Promise((resolve) => {
      isReady = () => {
        clearTimeout(startTimer);
        resolve();
      };
    });
    this.child.on('message', (message) => {
      if (!isFromChild(message)) return;
      if (message.kind === 'ready') isReady();
      else if (message.kind === 'program') this.noteProgram(message.pid, message.runs);
      else this.onMessage(message);
    });
    this.gone = this.endAndCleanUp(folder).finally(isReady);
  }

  /** 0 when the process could not be started. */
  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** False when the process has ended, or when its folder is gone: systems remove old temporary files. */
  get isUsable(): boolean {
    return !this.hasEnded && existsSync(this.folder);
  }

  programs(): number[] {
    return [...this.startedPrograms];
  }

  /** Sends a message; one to a process that is ending is lost. */
  send(message: ToChild): void {
    // The channel of an ending process may already be closed.
    if (this.child.connected) this.child.send(message, () => undefined);
  }

  /** Kills the process and the programs that it has started; `gone` resolves afterwards. Does nothing once the process has ended. */
  kill(): void {
    if (!this.hasEnded && this.pid > 0) killGroup(this.pid, this.startedPrograms);
  }

  killForLimit(reason: string): void {
    this.limitReason ??= reason;
    this.kill();
  }

  private noteProgram(pid: number, runs: boolean): void {
    if (runs) this.startedPrograms.add(pid);
    else this.startedPrograms.delete(pid);
  }

  private async endAndCleanUp(folder: string): Promise<ProcessDeath> {
    // The event `close` means that standard error was read to its end; `disconnect` means the same of the channel.
    const read = Promise.all([once(this.child, 'close'), once(this.child, 'disconnect')]).catch(() => undefined);
    const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
      this.child.once('exit', (exitCode, exitSignal) => resolve([exitCode, exitSignal]));
      this.child.once('error', (error) => {
        this.stderr += error.message;
        resolve([null, null]);
      });
    });
    if (this.pid > 0) killGroup(this.pid, this.startedPrograms);
    this.hasEnded = true;
    await withTimeout(read, LAST_MESSAGES_TIME_LIMIT_MS, () => new Error('the last messages are late')).catch(
      () => undefined,
    );
    // Removal is repeated, because a program that was just killed may still write into the folder.
    await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
    return {
      code,
      signal,
      stderr: this.stderr,
      ...(this.limitReason !== undefined && { limitReason: this.limitReason }),
    };
  }
}

function childEnvironment(folder: string, moduleCache: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => INHERITED_VARIABLES.test(name));
  return {
    ...Object.fromEntries(inherited),
    NODE_COMPILE_CACHE: moduleCache,
    TMPDIR: folder,
    TEMP: folder,
    TMP: folder,
  };
}
