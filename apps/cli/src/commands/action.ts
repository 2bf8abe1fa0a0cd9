import type { Command } from 'commander';
import { Context, type CommonOptions } from '../context';
import type { Terminal } from '../terminal/terminal';

/** The work of a command; `args` are its arguments in their order, and an optional one may be missing. */
export type Work<Options> = (context: Context, args: string[], options: Options & CommonOptions) => Promise<void>;

/** Adds commands of one noun to the program. */
export class Noun {
  constructor(
    readonly command: Command,
    private readonly terminal: Terminal,
  ) {}

  /** `usage` is the name and the arguments, such as `show <process>`; `configure` adds options. */
  verb<Options extends object>(
    usage: string,
    description: string,
    work: Work<Options>,
    configure: (command: Command) => Command = (command) => command,
  ): this {
    addWork(configure(this.command.command(usage).description(description)), this.terminal, work);
    return this;
  }
}

export function addWork<Options extends object>(command: Command, terminal: Terminal, work: Work<Options>): void {
  command.action(async () => {
    const options = command.optsWithGlobals<Options & CommonOptions>();
    await work(new Context(terminal, options), command.args, options);
  });
}

/** Collects an option that may be given several times. */
export function collected(value: string, before: string[] = []): string[] {
  return [...before, value];
}
