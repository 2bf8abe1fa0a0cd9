import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useCliWorld } from '../../test/cli-world';
import { refusalAnswer } from '../../test/fake-api';

const world = useCliWorld();

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'batuta-export-'));
  world.api.answers.set('GET /manage/v1/environments', [{ body: { environments: [] } }]);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const [FIRST, SECOND] = ['01920000-0000-7000-8000-000000000001', '01920000-0000-7000-8000-000000000002'] as const;

const originOf = (id: string, name = 'Shop') => ({
  id,
  name,
  responseMode: 'Imediata',
  waitSeconds: 30,
  enabled: true,
  signature: null,
});

/** Makes the console have a process of this name with these origins. */
function addProcess(processID: string, processName: string, ...lists: ReturnType<typeof originOf>[][]): void {
  const { answers } = world.api;
  const settings = { apiPermission: 'LIBERADO', active: true, paused: false, avgHumanTime: '00:00:00' };
  const process = { processID, processName, description: '', environmentID: null, ...settings, avgOperatorCost: 0 };
  const path = `GET /manage/v1/processes/${processID}`;
  answers.set(path, [{ body: { ...process, matrix: [] } }]);
  answers.set(`${path}/flow`, [{ body: { flow: null } }]);
  answers.set(`${path}/vault-keys`, [{ body: { keys: [] } }]);
  answers.set(
    `${path}/origins`,
    lists.map((origins) => ({ body: { origins } })),
  );
  for (const { id } of lists.at(-1) ?? [])
    answers.set(`GET /manage/v1/origins/${id}/mapping`, [{ body: { saved: [], unsaved: null } }]);
}

function listProcesses(...processIDs: string[]): void {
  const processes = processIDs.map((processID) => ({ processID, owned: true, permissions: null }));
  world.api.answers.set('GET /manage/v1/processes', [{ body: { processes } }]);
}

const exportAll = () => world.user.run(['export', '--all', '--to', folder]);

test('an origin that is removed while its process is exported is not in the files, and the export goes on', async () => {
  addProcess(FIRST, 'Orders', [originOf('o1', 'Old'), originOf('o2')], [originOf('o2')]);
  listProcesses(FIRST);
  expect(await exportAll()).toMatchObject({ status: 0 });
  expect(readdirSync(join(folder, 'orders', 'origins'))).toEqual(['shop.json']);
});

test('a process that is deleted while all are exported is left out', async () => {
  addProcess(FIRST, 'Gone', []);
  addProcess(SECOND, 'Orders', []);
  world.api.answers.set(`GET /manage/v1/processes/${FIRST}`, [refusalAnswer(404, 'PROCESS_NOT_FOUND')]);
  listProcesses(FIRST, SECOND);
  expect(await exportAll()).toMatchObject({ status: 0 });
  expect(readdirSync(folder)).toEqual(['orders']);
  expect(await world.user.run(['export', FIRST, '--to', folder])).toMatchObject({ status: 4 });
});

test('a process with two origins of one name is refused, and the other processes are exported', async () => {
  addProcess(FIRST, 'Double', [originOf('o1'), originOf('o2')]);
  addProcess(SECOND, 'Orders', [originOf('o3')]);
  listProcesses(FIRST, SECOND);
  const { status, stderr } = await exportAll();
  expect(status).toBe(4);
  expect(stderr).toContain('origins: "Shop" is there twice');
  expect(readdirSync(folder)).toEqual(['orders']);
});

test.each([
  ['that the account does not see', []],
  ['whose name another one has too', ['e1', 'e2']],
])('the files of a process in an environment %s have no difference to it', async (_which, ids) => {
  addProcess(FIRST, 'Orders', []);
  const path = `GET /manage/v1/processes/${FIRST}`;
  const [process] = world.api.answers.get(path) ?? [];
  world.api.answers.set(path, [{ body: { ...Object(process?.body), environmentID: 'e1' } }]);
  const environments = ids.map((environmentID) => ({ environmentID, name: 'Robots' }));
  world.api.answers.set('GET /manage/v1/environments', [{ body: { environments } }]);
  listProcesses(FIRST);
  expect(await exportAll()).toMatchObject({ status: 0 });
  expect(await world.user.run(['diff', folder])).toMatchObject({ status: 0, stderr: '' });
  expect(await world.user.run(['diff', join(folder, 'orders')])).toMatchObject({ status: 0 });
  expect(await world.user.run(['import', folder, '--environment', 'Other'])).toMatchObject({ status: 4 });
});

test.each(['diff', 'import'])(
  '%s refuses an origin whose name two origins of the process have, because nothing says which of them the file means',
  async (command) => {
    addProcess(FIRST, 'Orders', [originOf('o1')]);
    listProcesses(FIRST);
    await exportAll();
    addProcess(FIRST, 'Orders', [originOf('o1'), { ...originOf('o2'), enabled: false }]);
    const { status, stderr } = await world.user.run([command, join(folder, 'orders')]);
    expect(stderr).toContain('origins/Shop: the process has several origins with this name');
    expect(status).toBe(4);
    expect(world.api.calls.filter(({ line }) => !line.startsWith('GET '))).toEqual([]);
  },
);
