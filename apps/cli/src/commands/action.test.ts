import { useCliWorld } from '../../test/cli-world';

const ID = '01920000-0000-7000-8000-000000000001';
const world = useCliWorld();

test.each([`logs ${ID}`, 'runs list', `schedules firings ${ID}`, `events deliveries ${ID}`])(
  'batuta %s refuses a limit below 1 and calls nothing',
  async (line) => {
    for (const limit of ['0', '-1', '1.5']) {
      expect(await world.user.run([...line.split(' '), `--limit=${limit}`])).toMatchObject({
        status: 2,
        stdout: '',
        stderr: expect.stringContaining('--limit: must be '),
      });
    }
    expect(world.api.calls).toEqual([]);
  },
);
