import { useCliWorld } from '../../test/cli-world';

const ID = '01920000-0000-7000-8000-000000000001';
const ACCOUNT = {
  id: '01920000-0000-7000-8000-000000000002',
  email: 'ana@loja.example',
  name: 'Ana',
  role: 'administrator',
  blocked: false,
};

const world = useCliWorld();

test.each([
  ['the own company', [], '/manage/v1/accounts'],
  ['the company that an operator names', ['--company', ID], `/manage/v1/companies/${ID}/accounts`],
])('batuta accounts list shows the people of %s', async (_whose, options, path) => {
  world.api.answers.set(`GET ${path}`, [{ body: { accounts: [ACCOUNT] } }]);
  const { status, stdout } = await world.user.run(['accounts', 'list', ...options]);
  expect([status, stdout]).toEqual([0, expect.stringMatching(/ana@loja\.example +Ana +administrator/)]);
  expect(world.api.calls.map(({ line }) => line)).toEqual([`GET ${path}`]);
});
