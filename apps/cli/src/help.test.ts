import type { Command } from 'commander';
import { useCliWorld } from '../test/cli-world';
import { buildProgram } from './cli';
import { processTerminal } from './terminal/process-terminal';

const world = useCliWorld(() => ({}));

const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
const program = buildProgram(processTerminal());

test('every command, argument and option has a description', async () => {
  const commands = all(program).filter((command) => !command.name().startsWith('_'));
  const silent = commands.filter((command) => command.description() === '').map((command) => command.name());
  const options = commands.flatMap((command) => command.options.filter(({ description }) => description === ''));
  expect([silent, options, commands.length > 60]).toEqual([[], [], true]);
  const { status, stdout, stderr } = await world.user.run(['schedules', 'create', '--help']);
  expect([status, stderr, stdout]).toEqual([0, '', expect.stringContaining('--cron <expression>')]);
  for (const option of ['--profile', '--console', '--gateway', '--json']) expect(stdout).toContain(option);
});

test.each([
  [['pro'], ['processes', 'profiles']],
  [
    ['processes', ''],
    ['change', 'create', 'delete', 'list', 'show', 'versions'],
  ],
  [
    ['start', 'x', '--va'],
    ['--value', '--values'],
  ],
  [['--profile', 'x', 'runs', 'st'], ['stop']],
  [
    ['processes', 'change', 'x', '--api', ''],
    ['BLOQUEADO', 'LIBERADO'],
  ],
  [['login', '--email', ''], []],
])('after %j the shell offers %j', async (words, offered) => {
  const { stdout } = await world.user.run(['_complete', '--', ...words]);
  expect(stdout).toBe(offered.map((word) => `${word}\n`).join(''));
});

test.each(['bash', 'zsh', 'fish'])('the completion script of %s gets the words from the program', async (shell) => {
  expect(await world.user.run(['completion', shell])).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('batuta _complete --'),
  });
});
