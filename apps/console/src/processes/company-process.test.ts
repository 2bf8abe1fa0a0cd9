import { addProcess } from '../../test/processes';
import { createWorld, listOf, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

const PATH = '/company/processes';

test('an administrator lists the processes of everybody in the company, and no others', async () => {
  const admin = await world.addPerson({ role: 'administrator', name: 'Rui' });
  const ana = await world.addPerson({ companyID: admin.companyID, name: 'Ana' });
  const stranger = await world.addPerson();
  const own = await addProcess(admin, { processName: 'Invoices' });
  const ofAna = await addProcess(ana, { processName: 'Orders' });
  const foreign = await addProcess(stranger, { processName: 'Foreign' });
  await stranger.must('PUT', `/processes/${foreign}/shares/${admin.email}`, { execute: true });
  expect(await admin.must('GET', PATH)).toEqual({
    processes: [
      { processID: ofAna, processName: 'Orders', ownerName: 'Ana' },
      { processID: own, processName: 'Invoices', ownerName: 'Rui' },
    ],
  });
  expect((await admin.call('GET', `/processes/${ofAna}`)).status).toBe(404);
});

test('the list of the processes of a company continues after the process that `before` names', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  const ids = [await addProcess(admin), await addProcess(admin), await addProcess(admin)];
  const read = async (query: string) =>
    listOf(await admin.must('GET', `${PATH}?${query}`), 'processes').map(({ processID }) => processID);
  expect(await read('limit=2')).toEqual([ids[2], ids[1]]);
  expect(await read(`limit=2&before=${ids[1]}`)).toEqual([ids[0]]);
});

test.each(['limit=0', 'limit=501', 'before=x', 'name=x'])(
  'the query "%s" of the processes of a company is refused, and the refusal names the field',
  async (query) => {
    const admin = await world.addPerson({ role: 'administrator' });
    const { status, body } = await admin.call('GET', `${PATH}?${query}`);
    expect([status, body]).toEqual([
      400,
      { error: { code: 'BAD_REQUEST', message: expect.stringMatching(new RegExp(`^${query.split('=')[0]}: `)) } },
    ]);
  },
);

test('members, operators and callers without a session are refused the list of the processes of a company', async () => {
  const member = await world.addPerson();
  expect((await member.call('GET', PATH)).status).toBe(403);
  expect((await world.operator.call('GET', PATH)).status).toBe(403);
  expect((await fetch(`${world.url}/manage/v1${PATH}`)).status).toBe(401);
});
