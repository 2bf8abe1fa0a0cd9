import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommandLine } from '../src/cli';
import type { Terminal } from '../src/terminal/terminal';

export interface CommandResult {
  status: number;
  stdout: string;
  stderr: string;
}

interface RunOptions {
  env?: NodeJS.ProcessEnv;
  /** The input from a pipe; used when there are no `answers`. */
  input?: string;
  /** Answers to questions on a terminal. */
  answers?: string[];
  isTTY?: boolean;
  signal?: AbortSignal;
}

/** A user with a private home folder who runs commands in this process. */
export class TestUser {
  readonly home = mkdtempSync(join(tmpdir(), 'batuta-cli-'));
  readonly questions: { question: string; hidden: boolean }[] = [];

  constructor(private readonly env: NodeJS.ProcessEnv = {}) {}

  get configFolder(): string {
    return join(this.home, '.config', 'batuta');
  }

  async run(args: string[], options: RunOptions = {}): Promise<CommandResult> {
    const [stdout, stderr]: [string[], string[]] = [[], []];
    const status = await runCommandLine(args, this.terminal(stdout, stderr, options));
    return { status, stdout: stdout.join(''), stderr: stderr.join('') };
  }

  /** Runs a command that must succeed, and returns its JSON. */
  async json(args: string[], options: RunOptions = {}): Promise<unknown> {
    const { status, stdout, stderr } = await this.run([...args, '--json'], options);
    if (status !== 0) throw new Error(`batuta ${args.join(' ')}: exit code ${status}: ${stderr}`);
    return JSON.parse(stdout);
  }

  async remove(): Promise<void> {
    await rm(this.home, { recursive: true, force: true });
  }

  private terminal(stdout: string[], stderr: string[], options: RunOptions): Terminal {
    const { env, input = '', answers, isTTY = false, signal = new AbortController().signal } = options;
    return {
      env: { ...this.env, ...env },
      platform: 'linux',
      homeFolder: this.home,
      input: {
        isTTY: answers !== undefined,
        readAll: async () => input,
        ask: async (question, { hidden = false } = {}) => {
          this.questions.push({ question, hidden });
          return answers?.shift() ?? input.split('\n', 1)[0] ?? '';
        },
      },
      output: { isTTY, write: (text) => void stdout.push(text) },
      errors: { isTTY, write: (text) => void stderr.push(text) },
      signal,
    };
  }
}
