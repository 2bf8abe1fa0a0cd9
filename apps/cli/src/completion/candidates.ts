import type { Command, Option } from 'commander';

/**
 * The words that can complete a command line. `words` are those after the program's name; the last one is incomplete.
 */
export function completionsOf(program: Command, words: string[]): string[] {
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? '';
  const { command, pending } = commandAt(program, before);
  if (pending) return startingWith(current, pending.argChoices ?? []);
  const { options, commands } = { options: optionsOf(command), commands: command.commands };
  if (current.startsWith('-')) return startingWith(current, options);
  return startingWith(
    current,
    commands.filter((one) => !isHidden(one)).map((one) => one.name()),
  );
}

/** The command that the words name, and the option whose value the next word is, if any. */
function commandAt(program: Command, words: string[]): { command: Command; pending: Option | undefined } {
  let command = program;
  let pending: Option | undefined;
  for (const word of words) {
    if (pending) {
      pending = undefined;
      continue;
    }
    if (word.startsWith('-')) {
      const option = allOptions(command).find(({ long, short }) => long === word || short === word);
      pending = option && (option.required || option.optional) ? option : undefined;
      continue;
    }
    command = command.commands.find((one) => one.name() === word) ?? command;
  }
  return { command, pending };
}

function allOptions(command: Command): Option[] {
  return [...command.options, ...(command.parent ? allOptions(command.parent) : [])];
}

function optionsOf(command: Command): string[] {
  return [...allOptions(command).flatMap(({ long }) => long ?? []), '--help'];
}

const isHidden = (command: Command) => command.name().startsWith('_');

const startingWith = (start: string, words: readonly string[]) =>
  [...new Set(words)].filter((word) => word.startsWith(start)).toSorted();
