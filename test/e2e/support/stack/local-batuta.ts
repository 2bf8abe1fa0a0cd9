import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as s from '../../../support/shape';
import { LONG_TIME_LIMIT_SETTINGS } from './servers';
import { LONG_TIME_LIMIT_AGENT_SETTINGS } from './stack';
import { waitUntil } from '../../../support/wait-until';

const ROOT = join(__dirname, '..', '..', '..', '..');
const START_SCRIPT = join(ROOT, 'scripts', 'start.mjs');
const demoFileShape = s.exactObject({
  gateway: s.url,
  console: s.url,
  router: s.url,
  operator: s.object({ email: s.text(), password: s.text() }),
  owner: s.object({ email: s.text(), password: s.text() }),
  credential: s.text(),
  processID: s.text(),
  processKey: s.text(),
  orderToken: s.text(),
  environmentID: s.text(),
  devUrl: s.url,
  prodUrl: s.url,
  waitUrl: s.url,
});
export type Demo = s.Infer<typeof demoFileShape>;

/** One run of `npm start`. */
export interface StartRun {
  child: ChildProcess;
  /** Everything that the run has printed so far. */
  output(): string;
}

/** Runs of `npm start` that share a data folder of their own. */
export class LocalBatuta {
  private readonly running = new Set<ChildProcess>();

  private constructor(readonly folder: string) {}

  static async inNewFolder(): Promise<LocalBatuta> {
    return new LocalBatuta(await mkdtemp(join(tmpdir(), 'batuta-start-')));
  }

  /** Starts a run and does not wait for it. `command` = what runs the script; by default Node without npm, so that a signal reaches the script. */
  start(command = [process.execPath, START_SCRIPT]): StartRun {
    const [program = '', ...args] = command;
    const child = spawn(program, args, {
      cwd: ROOT,
      env: {
        ...process.env,
        ...LONG_TIME_LIMIT_SETTINGS,
        ...LONG_TIME_LIMIT_AGENT_SETTINGS,
        BATUTA_LOCAL: this.folder,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
    this.running.add(child);
    child.once('exit', () => this.running.delete(child));
    return { child, output: () => output };
  }

  /** Starts a run and waits until it has printed the commands for the user, which come last; throws when it ends before. */
  async startAndWait(command?: string[]): Promise<StartRun> {
    const run = this.start(command);
    await waitUntil('the commands are printed', () => hasExited(run) || run.output().includes('Ctrl-C stops'), {
      timeoutMs: 180_000,
    });
    if (hasExited(run)) throw new Error(`npm start ended:\n${run.output()}`);
    return run;
  }

  /** The addresses and keys that `npm start` stores for its user. */
  async readDemo(): Promise<Demo> {
    return demoFileShape.parse(JSON.parse(await readFile(join(this.folder, 'demo.json'), 'utf8')));
  }

  /** Stops all runs and removes the folder. */
  async remove(): Promise<void> {
    await Promise.all([...this.running].map((child) => interrupt({ child })));
    await rm(this.folder, { recursive: true, force: true });
  }
}

export function hasExited({ child }: Pick<StartRun, 'child'>): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** Sends SIGINT, as Ctrl-C does, and waits for the end; returns the exit code, null when a signal ended the run. */
export async function interrupt({ child }: Pick<StartRun, 'child'>): Promise<number | null> {
  child.kill('SIGINT');
  await waitUntil('npm start has ended', () => hasExited({ child }), { timeoutMs: 120_000 });
  return child.exitCode;
}
