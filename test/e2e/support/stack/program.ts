import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild, type Child } from '../../../../scripts/lib/servers.cjs';

const ROOT = join(__dirname, '..', '..', '..', '..');
const DIST = join(ROOT, 'dist', 'apps');
/** Node's compile cache of programs without compiled code in dist; they share it, which shortens their start. */
const COMPILE_CACHE = join(ROOT, '.local', 'compile-cache');
/**
 * Makes V8's young generation so large that it holds everything a program loads, and V8 moves none of it: a start takes a seventh less
 * processor time.
 */
const NODE_FLAGS = ['--min-semi-space-size=16'];
/** How long a program may take to end after SIGTERM before it is killed. */
const STOP_GRACE_MS = 60_000;

export type ProgramExit = Awaited<Child['exited']>;

/** One program of dist in its own OS process, which a test may kill and restart at any moment. */
export class Program {
  private child: Child | undefined;

  private constructor(
    readonly name: string,
    private readonly folder: string,
    private readonly env: NodeJS.ProcessEnv,
    private readonly main: string,
  ) {}

  /** Starts a program and does not wait until it is ready. `main` = another build of the program than the one in dist. */
  static async start(name: string, env: NodeJS.ProcessEnv, main = join(DIST, name, 'main.js')): Promise<Program> {
    const program = new Program(name, await mkdtemp(join(tmpdir(), `batuta-${name}-`)), env, main);
    await program.startAgain();
    return program;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  get isAlive(): boolean {
    return this.child?.isAlive() === true;
  }

  /** Resolves with the exit code or signal when the latest start of the program has ended. */
  get exited(): Promise<ProgramExit> {
    return this.child?.exited ?? Promise.resolve({ code: null, signal: null });
  }

  /** Sends SIGKILL and waits until the program has ended. */
  async kill(): Promise<void> {
    this.child?.signal('SIGKILL');
    await this.child?.stop();
  }

  /** Sends SIGTERM and waits until the program has ended; after a minute it is killed. */
  async end(): Promise<void> {
    await this.child?.stop();
  }

  /** Stops the program (SIGSTOP): it keeps its connections and answers nothing. */
  pause(): void {
    this.child?.signal('SIGSTOP');
  }

  resume(): void {
    this.child?.signal('SIGCONT');
  }

  /** Ends the program if it runs, and starts it; does not wait until it is ready. `env` overrides settings for this start only. */
  async startAgain(env: NodeJS.ProcessEnv = {}): Promise<void> {
    await this.child?.stop();
    this.child = await startChild({
      command: process.execPath,
      args: [...NODE_FLAGS, this.main],
      // Without jest's variables: NODE_ENV, for example, changes how the program behaves.
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        NODE_COMPILE_CACHE: COMPILE_CACHE,
        ...this.env,
        ...env,
      },
      logFile: join(this.folder, 'log'),
      graceMs: STOP_GRACE_MS,
      removeIfOrphaned: [this.folder],
    });
  }

  /** The log of all starts so far; empty after `stop`. */
  log(): Promise<string> {
    return readFile(join(this.folder, 'log'), 'utf8').catch(() => '');
  }

  /** Ends the program for good and deletes its log. */
  async stop(): Promise<void> {
    await this.end();
    await rm(this.folder, { recursive: true, force: true });
  }
}
