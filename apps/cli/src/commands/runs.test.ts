import { useCliWorld } from '../../test/cli-world';
import { refusalAnswer } from '../../test/fake-api';

const world = useCliWorld();

test('a log without lines writes nothing to the standard output', async () => {
  world.api.answers.set('GET /manage/v1/instances/i/logs', [{ body: { logs: [] } }]);
  expect(await world.user.run(['logs', 'i'])).toEqual({ status: 0, stdout: '', stderr: 'The log is empty.\n' });
});

describe('ended stream', () => {
  beforeEach(() => {
    world.api.answers.set('GET /manage/v1/instances/i/events', [{ status: 204, body: '' }]);
  });

  test('a followed log whose stream ends early says that the run continues, with the exit code of a run that is still going', async () => {
    world.api.answers.set('GET /manage/v1/instances/i', [{ body: { instanceID: 'i', status: 'running' } }]);
    expect(await world.user.run(['logs', 'i', '--follow'])).toEqual({
      status: 8,
      stdout: '',
      stderr: 'batuta: The run i is still running.\n  it continues: batuta runs show i\n',
    });
  });

  test('a followed log whose stream ends early has the exit code of the end when the run has ended meanwhile', async () => {
    const run = { instanceID: 'i', status: 'error', finishedAt: '2026-11-20T12:00:00.000Z', errorMessage: 'no' };
    world.api.answers.set('GET /manage/v1/instances/i', [{ body: run }]);
    expect(await world.user.run(['logs', 'i', '--follow'])).toEqual({
      status: 6,
      stdout: '',
      stderr: '— error\nbatuta: The run ended as error: no\n',
    });
  });
});

test.each([
  ['logs', 'i', '--follow'],
  ['runs', 'wait', 'i'],
])('the refusal of a run that does not exist leads to no run: %s %s %s', async (...command) => {
  for (const route of ['instances/i', 'instances/i/events']) {
    world.api.answers.set(`GET /manage/v1/${route}`, [refusalAnswer(404, 'INSTANCE_NOT_FOUND')]);
  }
  const { status, stderr } = await world.user.run(command);
  expect([status, stderr]).toEqual([4, expect.stringContaining('INSTANCE_NOT_FOUND')]);
  expect(stderr).not.toContain('batuta runs');
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
