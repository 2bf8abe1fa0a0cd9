import { TestUser } from '../../test/test-terminal';

const RUN = '01920000-0000-7000-8000-000000000001';

let user: TestUser;
beforeEach(() => {
  user = new TestUser();
});
afterEach(() => user.remove());

test.each([
  ['console', {}, ['whoami']],
  ['gateway', { BATUTA_CREDENTIAL: 'c' }, ['runs', 'show', RUN]],
])('an unknown address of the %s names the profile, whose name may be misspelt', async (server, env, command) => {
  const { stderr } = await user.run(['--profile', 'prodution', ...command], { env });
  expect(stderr).toContain(`The address of the ${server} is unknown (profile prodution).`);
});
