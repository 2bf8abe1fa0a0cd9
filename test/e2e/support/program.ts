import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild, type Child } from '../../../scripts/lib/servers.cjs';

const ROOT = join(__dirname, '..', '..', '..');
const DIST = join(ROOT, 'dist', 'apps');
/** Compiled modules are shared by all programs, so that they start sooner. */
const COMPILE_CACHE = join(ROOT, '.local', 'compile-cache');
const GRACE_MS = 60_000;

export type Exit = Awaited<Child['exited']>;

/** One program of dist as a process of its own, which a test may kill at any moment and start again. */
export class Program {
  private child: Child | undefined;

  private constructor(
    readonly name: string,
    private readonly folder: string,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  static async start(name: string, env: NodeJS.ProcessEnv): Promise<Program> {
    const program = new Program(name, await mkdtemp(join(tmpdir(), `batuta-${name}-`)), env);
    await program.startAgain();
    return program;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  get isAlive(): boolean {
    return this.child?.isAlive() === true;
  }

  /** Resolves when the process is gone, with what ended it. */
  get exited(): Promise<Exit> {
    return this.child?.exited ?? Promise.resolve({ code: null, signal: null });
  }

  /** kill -9, and waits until it is gone. */
  async kill(): Promise<void> {
    this.child?.signal('SIGKILL');
    await this.child?.stop();
  }

  /** Asks it to end (SIGTERM) and waits until it has. */
  async end(): Promise<void> {
    await this.child?.stop();
  }

  /** It hangs: keeps its connections, answers nothing. */
  pause(): void {
    this.child?.signal('SIGSTOP');
  }

  resume(): void {
    this.child?.signal('SIGCONT');
  }

  /** With other settings on top for this time, such as no `BATUTA_FAULT` any more. */
  async startAgain(env: NodeJS.ProcessEnv = {}): Promise<void> {
    await this.child?.stop();
    this.child = await startChild({
      command: process.execPath,
      args: ['--enable-source-maps', join(DIST, this.name, 'src', 'main.js')],
      // Not jest's own settings: NODE_ENV and the like would make it another program than the one we ship.
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        NODE_COMPILE_CACHE: COMPILE_CACHE,
        ...this.env,
        ...env,
      },
      logFile: join(this.folder, 'log'),
      graceMs: GRACE_MS,
      removeIfOrphaned: [this.folder],
    });
  }

  /** Everything it has written so far. */
  log(): Promise<string> {
    return readFile(join(this.folder, 'log'), 'utf8').catch(() => '');
  }

  async stop(): Promise<void> {
    await this.end();
    await rm(this.folder, { recursive: true, force: true });
  }
}
