import { Command, CommanderError } from 'commander';
import { registerCommands } from './commands/register-commands';
import { EXIT_CODES } from './exit-codes';
import { describeError, errorText } from './terminal/error-text';
import { Output } from './terminal/output';
import type { Terminal } from './terminal/terminal';
import { CLI_VERSION } from './version';

const EXIT_CODES_HELP = `
Exit codes: 0 done, 1 unexpected failure, 2 wrong usage, 3 not logged in, 4 refused, 5 unreachable,
6 the run ended without success, 7 differences were found, 8 the run is still going, 130 interrupted.`;

/** Runs one command line and resolves to the exit code. Everything that the user reads goes to the terminal. */
export async function runCommandLine(args: string[], terminal: Terminal): Promise<number> {
  const json = args.includes('--json');
  try {
    await buildProgram(terminal, { json }).parseAsync(args, { from: 'user' });
    return EXIT_CODES.ok;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT_CODES.ok;
    // commander has written the text of a wrong usage.
    if (error instanceof CommanderError && !json) return EXIT_CODES.usage;
    if (terminal.signal.aborted) return EXIT_CODES.interrupted;
    const description = describeError(error);
    new Output(terminal, json).error(description, errorText(description));
    return description.exitCode;
  }
}

/** With `json` the program writes no text of a wrong usage, because `runCommandLine` writes it as JSON. */
export function buildProgram(terminal: Terminal, { json = false } = {}): Command {
  const program = new Command('batuta')
    .description(
      'Batuta on the command line: processes as files, runs, schedules, webhooks, and the accounts behind them.',
    )
    .version(CLI_VERSION)
    .option('--profile <name>', 'the installation and account to use (BATUTA_PROFILE)')
    .option('--console <address>', 'address of the console (BATUTA_CONSOLE_URL)')
    .option('--gateway <address>', 'address of the gateway (BATUTA_GATEWAY_URL)')
    .option('--json', 'JSON for programs instead of text')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.output.write(text),
      writeErr: (text) => {
        if (!json) terminal.errors.write(text);
      },
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(--help shows how)')
    .addHelpText('after', EXIT_CODES_HELP);
  registerCommands(program, terminal);
  return program;
}
