import { useCliWorld } from '../test/cli-world';

const PROCESS_ID = '01920000-0000-7000-8000-000000000002';

const world = useCliWorld();

test.each([
  ['an unknown command', ['nothing']],
  ['an unknown option', ['whoami', '--nothing']],
  ['a missing argument', ['start']],
  ['an address that is no http or https URL', ['whoami', '--console', 'ftp://x']],
  ['a value without a name', ['start', PROCESS_ID, '--value', 'total']],
])('%s is a wrong usage', async (_, args) => {
  const { status, stdout, stderr } = await world.user.run(args);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).not.toMatch(/^ +at /m);
});

test.each([
  ['an unknown command', ['nothing'], "unknown command 'nothing'"],
  ['an unknown option', ['whoami', '--nothing'], "unknown option '--nothing'"],
  ['a missing argument', ['start'], "missing required argument 'process'"],
  ['a missing command', ['runs'], 'a command is missing'],
  ['no command at all', [], 'a command is missing'],
  ['an address that is no http or https URL', ['whoami', '--console', 'ftp://x'], '--console: must be an address'],
])('with --json the wrong usage of %s is an error as JSON and nothing else', async (_, args, message) => {
  const { status, stdout, stderr } = await world.user.run([...args, '--json']);
  expect([status, stdout]).toEqual([2, '']);
  const error = { code: 'USAGE', message: expect.stringContaining(message), exitCode: 2 };
  expect(JSON.parse(stderr)).toEqual({ error });
});
