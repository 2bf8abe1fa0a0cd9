import { useCliWorld } from '../../test/cli-world';

const world = useCliWorld();

test('a log without lines writes nothing to the standard output', async () => {
  world.api.answers.set('GET /manage/v1/instances/i/logs', [{ body: { logs: [] } }]);
  expect(await world.user.run(['logs', 'i'])).toEqual({ status: 0, stdout: '', stderr: 'The log is empty.\n' });
});

test('a log that is longer than its limit says so', async () => {
  const logs = ['first', 'second', 'third'].map((message) => ({
    timestamp: '2026-11-20T12:00:00.000Z',
    severity: 'INFO',
    stepID: 'a',
    message,
  }));
  world.api.answers.set('GET /manage/v1/instances/i/logs', [{ body: { logs } }, { body: { logs } }]);
  const cut = await world.user.run(['logs', 'i', '--limit', '2']);
  expect(cut.stdout).toMatch(/^.*second\n.*third\n$/);
  expect(cut.stderr).toBe('Older lines are left out: --limit shows more than 2.\n');
  expect((await world.user.run(['logs', 'i', '--limit', '3'])).stderr).toBe('');
});
