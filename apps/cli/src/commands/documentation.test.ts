import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { TestUser } from '../../test/test-terminal';
import { buildProgram } from '../cli';
import { processTerminal } from '../terminal/process-terminal';

const ROOT = join(__dirname, '../../../..');
const documentText = readFileSync(join(ROOT, 'docs/cli.md'), 'utf8');

/** The commands of the first cell of a row: `a` · `b`, or `noun a` · `b`, or `noun` · `noun`: `a` · `b`. */
function commandsOfCell(cell: string): string[] {
  const [nouns = '', verbs] = cell.split(':');
  const texts = (part: string) => Array.from(part.matchAll(/`([^`]+)`/g), ([, text = '']) => text);
  const withoutArguments = (text: string) => text.replace(/ [<[].*/, '');
  if (verbs !== undefined) return texts(nouns).flatMap((noun) => texts(verbs).map((verb) => `${noun} ${verb}`));
  let noun: string | undefined;
  return texts(nouns).map((text) => {
    const words = withoutArguments(text).split(' ');
    if (words.length === 1) return noun === undefined ? words.join() : `${noun} ${words.join()}`;
    [noun] = words;
    return words.join(' ');
  });
}

const documented = Array.from(documentText.matchAll(/^\| (`[^|]+?) +\| /gm), ([, cell = '']) => cell)
  .filter((cell) => !/^`(?:[A-Z_]+|[a-z]+\.json|origins\/|\$)/.test(cell))
  .flatMap(commandsOfCell);

/** Names of the commands that example lines of the page call. */
const examples = Array.from(documentText.matchAll(/^batuta ([a-z]+)/gm), ([, name = '']) => name);

let user: TestUser;
beforeEach(() => {
  user = new TestUser();
});
afterEach(() => user.remove());

test.each([...new Set([...documented, ...examples])])('the documented command `batuta %s` exists', async (command) => {
  const { status, stdout } = await user.run([...command.split(' '), '--help']);
  const name = command.startsWith('completion') ? 'completion' : command;
  expect([status, stdout.split('\n')[0]]).toEqual([0, expect.stringMatching(new RegExp(`^Usage: batuta ${name} `))]);
});

/** Whether only the scripts of `batuta completion` call the command. */
const isInternal = (path: string) => path.startsWith('_');

function pathsOf(command: Command, before: string[] = []): string[] {
  return command.commands.flatMap((one) => {
    const path = [...before, one.name()];
    return one.commands.length > 0 ? pathsOf(one, path) : [path.join(' ')];
  });
}

test('every command is documented', () => {
  const shells = new Set(['bash', 'zsh', 'fish'].map((shell) => `completion ${shell}`));
  const known = new Set(documented.map((command) => (shells.has(command) ? 'completion' : command)));
  expect(pathsOf(buildProgram(processTerminal())).filter((path) => !isInternal(path) && !known.has(path))).toEqual([]);
});
