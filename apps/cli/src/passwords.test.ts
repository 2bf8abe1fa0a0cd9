import { useCliWorld } from '../test/cli-world';

const SESSION = { token: 'bls_secret', expiresAt: '2030-01-01T00:00:00.000Z', mustChangePassword: false };
const CURRENT_PASSWORD = 'old password';

const world = useCliWorld(() => ({}));

beforeEach(async () => {
  world.api.answers.set('POST /manage/v1/session', [{ status: 201, body: SESSION }]);
  await world.user.run(['login', '--console', world.api.url, '--email', 'ana@example.com'], { input: 'pass word\n' });
});

test('a new password that is typed twice on a terminal is sent', async () => {
  world.api.answers.set('PUT /manage/v1/session/password', [{}]);
  const answers = [CURRENT_PASSWORD, 'new password', 'new password'];
  expect(await world.user.run(['password'], { answers })).toMatchObject({ status: 0, stderr: '' });
  expect(world.user.questions.slice(-3)).toEqual([
    { question: 'Current password: ', hidden: true },
    { question: 'New password: ', hidden: true },
    { question: 'New password again: ', hidden: true },
  ]);
  expect(JSON.parse(world.api.calls.at(-1)?.body ?? '')).toEqual({
    currentPassword: CURRENT_PASSWORD,
    newPassword: 'new password',
  });
});

test.each([
  ['password', ['password'], [CURRENT_PASSWORD]],
  ['accounts create', ['accounts', 'create', 'c', '--email', 'bia@example.com', '--name', 'Bia'], []],
])('%s sends no password whose repetition on the terminal differs', async (_, command, before) => {
  const callCount = world.api.calls.length;
  const result = await world.user.run(command, { answers: [...before, 'new password', 'new passwort'] });
  expect(result).toEqual({
    status: 2,
    stdout: '',
    stderr: 'batuta: The two passwords differ; nothing is changed.\n',
  });
  expect(world.api.calls).toHaveLength(callCount);
});

test('without a terminal the new password is the second line of the input, and is not asked for again', async () => {
  world.api.answers.set('PUT /manage/v1/session/password', [{}]);
  expect(await world.user.run(['password'], { input: `${CURRENT_PASSWORD}\nnew password\n` })).toMatchObject({
    status: 0,
  });
  expect(JSON.parse(world.api.calls.at(-1)?.body ?? '')).toMatchObject({ newPassword: 'new password' });
});
