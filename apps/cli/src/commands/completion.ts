import { completionsOf } from '../completion/candidates';
import { COMPLETE_COMMAND, COMPLETION_SCRIPTS, type ShellName } from '../completion/scripts';
import type { Registration } from './registration';

const USAGE = `
bash  batuta completion bash > ~/.local/share/bash-completion/completions/batuta
zsh   batuta completion zsh > "\${fpath[1]}/_batuta"
fish  batuta completion fish > ~/.config/fish/completions/batuta.fish`;

export function registerCompletion({ program, terminal }: Registration): void {
  const shells = Object.keys(COMPLETION_SCRIPTS);
  program
    .command('completion')
    .description('write the completion script of a shell')
    .addArgument(program.createArgument('<shell>', 'the shell').choices(shells))
    .addHelpText('after', USAGE)
    .action((shell: ShellName) => terminal.output.write(COMPLETION_SCRIPTS[shell]));
  program
    .command(COMPLETE_COMMAND, { hidden: true })
    .argument('[words...]')
    .action((words: string[]) =>
      terminal.output.write(
        completionsOf(program, words)
          .map((word) => `${word}\n`)
          .join(''),
      ),
    );
}
