import { homedir } from 'node:os';
import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { CommandFailure, EXIT_CODES } from '../exit-codes';
import { HiddenAnswer } from './hidden-answer';
import type { Terminal, TerminalInput, TerminalOutput } from './terminal';

/** The terminal of this process. The second interruption ends the process at once. */
export function processTerminal(): Terminal {
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interruption.abort());
  return {
    env: process.env,
    platform: process.platform,
    homeFolder: homedir(),
    input: inputOf(process.stdin, interruption.signal),
    output: outputOf(process.stdout),
    errors: errorOutputOf(process.stderr),
    signal: interruption.signal,
  };
}

/** Exported for its test. */
export function outputOf(stream: Writable & { isTTY?: boolean }): TerminalOutput {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // The reader of a pipe may close it early, as `head` does; that is no failure.
    if (error.code === 'EPIPE') process.exit(EXIT_CODES.ok);
    process.stderr.write(`batuta: The output cannot be written: ${error.message}\n`);
    process.exit(EXIT_CODES.failure);
  });
  return { isTTY: stream.isTTY === true, write: (written) => void stream.write(written) };
}

/**
 * The output of notes and errors. Writing to a closed one does nothing, because the exit code tells all the same how the command ended.
 * Exported for its test.
 */
export function errorOutputOf(stream: Writable & { isTTY?: boolean }): TerminalOutput {
  stream.on('error', () => undefined);
  return { isTTY: stream.isTTY === true, write: (written) => void stream.write(written) };
}

function inputOf(stream: NodeJS.ReadStream, interruption: AbortSignal): TerminalInput {
  const readAll = () => {
    interruption.addEventListener('abort', () => stream.destroy(), { once: true });
    return text(stream);
  };
  return {
    isTTY: stream.isTTY,
    readAll,
    ask: async (question, { hidden = false } = {}) => {
      if (!stream.isTTY) return (await readAll()).split(/\r?\n/, 1)[0] ?? '';
      return hidden ? askHidden(stream, question, interruption) : askOpenly(stream, question, interruption);
    },
  };
}

// Questions are written to standard error, because standard output may be a pipe.

/**
 * Asks a question with a visible answer; the terminal shows and edits the line that the user types. Throws CommandFailure when the input ends
 * or the user interrupts. Exported for its test.
 */
export function askOpenly(input: NodeJS.ReadableStream, question: string, interruption: AbortSignal): Promise<string> {
  process.stderr.write(question);
  const lines = createInterface({ input });
  interruption.addEventListener('abort', () => lines.close(), { once: true });
  return new Promise<string>((resolve, reject) => {
    lines.once('line', resolve);
    lines.once('close', () => reject(new CommandFailure('usage', 'The input ended before the answer.')));
  }).finally(() => lines.close());
}

type RawInput = NodeJS.ReadableStream & { setRawMode(raw: boolean): unknown };

/**
 * Asks a question with an invisible answer; echo is switched off before the question is shown, so that no key is visible. Throws CommandFailure
 * when the user presses Ctrl+C or the command is interrupted. Exported for its test.
 */
export function askHidden(input: RawInput, question: string, interruption: AbortSignal): Promise<string> {
  input.setRawMode(true);
  process.stderr.write(question);
  const answer = new HiddenAnswer();
  const listening = new AbortController();
  return new Promise<string>((resolve, reject) => {
    const interrupt = () => reject(new CommandFailure('interrupted', 'interrupted'));
    const read = (typed: string) => {
      const state = answer.type(typed);
      if (state === 'done') resolve(answer.text);
      if (state === 'interrupted') interrupt();
    };
    listening.signal.addEventListener('abort', () => input.off('data', read), { once: true });
    interruption.addEventListener('abort', interrupt, { once: true, signal: listening.signal });
    input.setEncoding('utf8').on('data', read).resume();
  }).finally(() => {
    listening.abort();
    input.setRawMode(false);
    input.pause();
    process.stderr.write('\n');
  });
}
