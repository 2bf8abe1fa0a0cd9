import type { Command } from 'commander';
import { Context, type CommonOptions } from '../context';
import type { Terminal } from '../terminal/terminal';

/** The implementation of a command. `args` are its arguments in order; an optional argument may be missing. */
export type CommandAction<Options> = (
  context: Context,
  args: string[],
  options: Options & CommonOptions,
) => Promise<void>;

/** A group of commands about one kind of thing: `batuta <noun> <verb>`. */
export class Noun {
  constructor(
    readonly command: Command,
    private readonly terminal: Terminal,
  ) {}

  /** Adds a command to the group. `usage` is its name and arguments, such as `show <process>`; `configure` adds options. */
  addVerb<Options extends object>(
    usage: string,
    description: string,
    action: CommandAction<Options>,
    configure: (command: Command) => Command = (command) => command,
  ): this {
    addAction(configure(this.command.command(usage).description(description)), this.terminal, action);
    return this;
  }
}

/** Makes `action` the implementation of the command. What `action` throws becomes the failure that `Context.failureOf` returns. */
export function addAction<Options extends object>(
  command: Command,
  terminal: Terminal,
  action: CommandAction<Options>,
): void {
  command.action(async () => {
    const options = command.optsWithGlobals<Options & CommonOptions>();
    const context = new Context(terminal, options);
    await action(context, command.args, options).catch((error: unknown) => {
      throw context.failureOf(error);
    });
  });
}

/** Collects an option that may be given several times. */
export function collectOption(value: string, before: string[] = []): string[] {
  return [...before, value];
}
