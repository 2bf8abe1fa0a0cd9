import { BatutaError } from '@batuta/client';
import type { Command } from 'commander';
import { Context, type CommonOptions } from '../context';
import type { Terminal } from '../terminal/terminal';

/** The arguments that name something on the server. */
const THINGS = [
  'account',
  'capture',
  'company',
  'credential',
  'environment',
  'key',
  'plan',
  'process',
  'run',
  'schedule',
  'subscription',
];

/** The implementation of a command. `args` are its arguments in order; an optional argument may be missing. */
export type CommandAction<Options> = (
  context: Context,
  args: string[],
  options: Options & CommonOptions,
) => Promise<void>;

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
    action: CommandAction<Options>,
    configure: (command: Command) => Command = (command) => command,
  ): this {
    addAction(configure(this.command.command(usage).description(description)), this.terminal, action);
    return this;
  }
}

export function addAction<Options extends object>(
  command: Command,
  terminal: Terminal,
  action: CommandAction<Options>,
): void {
  command.action(async () => {
    const options = command.optsWithGlobals<Options & CommonOptions>();
    try {
      await action(new Context(terminal, options), command.args, options);
    } catch (error) {
      throw namingArgument(command, error);
    }
  });
}

/** Makes a refusal such as "No such plan." or "No such route or resource." say which thing it is that does not exist. */
function namingArgument(command: Command, error: unknown): unknown {
  const thing = command.registeredArguments[0]?.name() ?? '';
  const [given] = command.args;
  if (!(error instanceof BatutaError) || error.status !== 404 || !THINGS.includes(thing) || given === undefined)
    return error;
  // The API calls a run an instance. With the option --run, the text that names nothing may be about the run.
  const named = `([\\w ]+ )?${thing === 'run' ? 'instance' : thing}`;
  const about = command.opts()['run'] === undefined ? `route or resource|${named}` : named;
  if (!new RegExp(`no such (${about})\\b`, 'i').test(error.message)) return error;
  const { status, code, requestID, retryAfter } = error;
  const message = `There is no ${thing} ${JSON.stringify(given)} that you may see.`;
  return new BatutaError({ status, code, message, requestID, retryAfter });
}

/** Collects an option that may be given several times. */
export function collectOption(value: string, before: string[] = []): string[] {
  return [...before, value];
}
