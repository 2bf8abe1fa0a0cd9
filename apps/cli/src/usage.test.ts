import { useCliWorld } from '../test/cli-world';

const PROCESS_ID = '01920000-0000-7000-8000-000000000002';

const world = useCliWorld();

test.each([
  ['an unknown command', ['nothing']],
  ['an unknown option', ['whoami', '--nothing']],
  ['a missing argument', ['start']],
  ['an address that is none', ['whoami', '--console', 'ftp://x']],
  ['a value that is none', ['start', PROCESS_ID, '--value', 'total']],
])('%s is a wrong usage', async (_, args) => {
  const { status, stdout, stderr } = await world.user.run(args);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).not.toMatch(/^ +at /m);
});
