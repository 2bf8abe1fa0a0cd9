import type { Flow } from '@batuta/flow';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestUser } from '../../../apps/cli/test/test-terminal';
import { logInWithPassword, completionsOf, readProfile } from '../support/packages/command-line';
import { makeEnvironment, makeOwner, makeProcess, makeProcessKey, type Owner } from '../support/tenants/factories';
import { startStack } from '../support/stack/in-process-stack';
import { InstalledPackage } from '../support/packages/installed-package';
import { untilOnline } from '../support/tenants/instances';
import type { Stack } from '../support/stack/stack';
import { until } from '../support/until';
import * as s from '../../support/shape';

const FLOW: Flow = {
  start: 'compute',
  steps: [
    { name: 'compute', type: 'variables', rows: [{ name: 'sum', mode: 'Fórmula', value: '{matrix.total} + 1' }] },
  ],
};
const WAITING_FLOW: Flow = { start: 'wait', steps: [{ name: 'wait', type: 'wait', seconds: 600 }] };
const MATRIX = [
  { name: 'total', type: 'Moeda', default: '10,50' },
  { name: 'token', type: 'Secreto' },
];
const startedShape = s.object({ instanceID: s.text(), status: s.text() });

const realFetch = globalThis.fetch;

let stack: Stack;
let program: InstalledPackage;
let owner: Owner;
let user: TestUser;

beforeAll(async () => {
  // The program is installed before the services start, because npm blocks this OS process, in which the services run.
  program = InstalledPackage.install('cli');
  stack = await startStack();
  owner = await makeOwner(stack);
});
afterAll(async () => {
  await stack?.stop();
  await program?.remove();
});
beforeEach(async () => {
  user = new TestUser();
  await logInWithPassword(user, stack, owner);
});
afterEach(() => user.remove());

const read = (folder: string, name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'));

/** Makes a process that has every part which an export writes, and a signature whose secret no file may have; returns its id. */
async function makeExportableProcess(name: string, more: object = {}): Promise<string> {
  const process = await makeProcess(stack, { owner, processName: name, flow: FLOW, matrix: MATRIX, ...more });
  await owner.manage('POST', `/processes/${process.processID}/origins`, {
    name: 'Shop',
    responseMode: 'Aguardar',
    waitSeconds: 20,
    signature: { header: 'X-Signature', secret: 'signature-secret' },
  });
  return process.processID;
}

test('the installed program logs in and starts a run that ends, with its log and its exit code', async () => {
  const environment = await makeEnvironment(stack, { owner });
  const process = await makeProcess(stack, { environment, flow: FLOW, matrix: MATRIX });
  await stack.startAgent(environment);
  await untilOnline(environment);
  const env = { XDG_CONFIG_HOME: join(program.folder, 'config'), BATUTA_CONSOLE_URL: stack.console, BATUTA_TOKEN: '' };
  const batuta = (...args: string[]) => program.run(program.programPath('batuta'), args, env);
  expect(await batuta('whoami')).toMatchObject({ status: 3, stdout: '' });
  expect(completionsOf(program, 'batuta runs st')).toEqual(['stop']);

  const token = readProfile(user).token;
  env.BATUTA_TOKEN = token;
  const followed = await batuta('start', process.processID, '--value', 'total=1.234,56', '--follow');
  expect(followed).toMatchObject({ status: 0, stdout: expect.stringContaining('sum = 1235.56') });
  const waited = await batuta('start', process.processID, '--wait', '--json');
  expect([waited.status, JSON.parse(waited.stdout)]).toEqual([0, expect.objectContaining({ status: 'success' })]);
  const refused = await batuta('start', process.processID, '--value', 'total=much', '--json');
  expect([refused.status, JSON.parse(refused.stderr)]).toEqual([
    4,
    {
      error: expect.objectContaining({
        code: 'INVALID_MATRIX',
        message: expect.stringContaining('total'),
        requestID: expect.any(String),
      }),
    },
  ]);
});

test('a run is started with a process key and a credential, listed, followed and stopped', async () => {
  const environment = await makeEnvironment(stack, { owner });
  const { processID, owner: by } = await makeProcess(stack, { environment, flow: WAITING_FLOW });
  await stack.startAgent(environment);
  await untilOnline(environment);
  expect(await user.run(['credentials', 'create', 'CLI', '--save'])).toMatchObject({ status: 0 });
  expect(await user.run(['keys', 'create', processID, 'cli', '--save'])).toMatchObject({ status: 0 });
  expect(await user.json(['start', processID, '--dry-run'])).toMatchObject({ status: 'started', refusals: [] });
  const args = ['start', processID, '--idempotency-key', 'order-1'];
  const started = startedShape.parse(await user.json(args));
  expect(await user.json(args)).toEqual({ ...started, replayed: true });
  const { instanceID } = started;
  await until(
    () => user.json(['runs', 'show', instanceID]),
    (run) => s.object({ status: s.text() }).parse(run).status === 'running',
  );
  expect(await user.run(['runs', 'wait', instanceID, '--within', '0'])).toMatchObject({ status: 8 });
  expect((await user.run(['runs', 'list', processID])).stdout).toMatch(new RegExp(`${instanceID} .*running +api CLI`));
  expect(await user.run(['runs', 'pause', instanceID])).toMatchObject({ status: 0 });
  expect(await user.run(['runs', 'resume', instanceID])).toMatchObject({ status: 0 });
  const followed = user.run(['logs', instanceID, '--follow', '--json']);
  expect(await user.run(['runs', 'stop', instanceID])).toMatchObject({ status: 0 });
  const { status, stdout } = await followed;
  const last: unknown = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  expect([status, last]).toEqual([6, { event: 'status', data: expect.objectContaining({ status: 'stopped' }) }]);
  expect(await user.run(['runs', 'stop', instanceID])).toMatchObject({
    status: 4,
    stderr: expect.stringContaining('INSTANCE_FINISHED'),
  });
  expect(by.email).toBe(owner.email);
});

test('a process is exported as files without secrets, changed, and imported with a publication', async () => {
  const processID = await makeExportableProcess('Pedidos São Paulo');
  const to = join(user.home, 'git');
  await user.json(['export', processID, '--to', to]);
  const folder = join(to, 'pedidos-sao-paulo');
  expect(readdirSync(folder).toSorted()).toEqual(['flow.json', 'matrix.json', 'origins', 'process.json']);
  expect(read(folder, 'matrix.json')).toEqual([
    { name: 'total', type: 'Moeda', default: 10.5 },
    { name: 'token', type: 'Secreto' },
  ]);
  const text = ['process.json', 'flow.json', 'matrix.json', 'origins/shop.json']
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('');
  expect(text).not.toMatch(/signature-secret|https?:|hooks/);
  const inode = statSync(join(folder, 'flow.json')).ino;
  expect(await user.json(['export', processID, '--to', to])).toMatchObject({ processes: [{ changed: [] }] });
  expect(statSync(join(folder, 'flow.json')).ino).toBe(inode);
  expect(await user.run(['diff', to])).toMatchObject({ status: 0, stdout: expect.stringContaining('unchanged') });

  const origin = {
    ...s.dictionary(s.anything).parse(read(folder, 'origins/shop.json')),
    mapping: [{ pointer: '/order/total', variable: 'total' }],
  };
  writeFileSync(join(folder, 'origins/shop.json'), JSON.stringify(origin));
  writeFileSync(
    join(folder, 'matrix.json'),
    JSON.stringify([...MATRIX, { name: 'note', type: 'Texto', default: 'x' }]),
  );
  const changed = await user.run(['diff', to]);
  expect([changed.status, changed.stdout]).toEqual([
    7,
    expect.stringMatching(/\+ matrix.json \/note.*\n.*origins\/Shop \/mapping/),
  ]);
  expect(await user.run(['import', to, '--dry-run'])).toMatchObject({ status: 0 });
  expect(await user.run(['diff', to])).toMatchObject({ status: 7 });
  expect(await user.json(['import', to, '--publish'])).toMatchObject({
    processes: [{ action: 'update', version: 2, processID }],
  });
  expect(await user.run(['diff', to])).toMatchObject({ status: 0 });
});

test('a process of other files is created under its names; its signature needs a secret that no file has', async () => {
  const processID = await makeExportableProcess('Copy me', { environmentID: null });
  await owner.manage('PATCH', `/processes/${processID}`, { environmentID: null });
  const to = join(user.home, 'git');
  await user.json(['export', processID, '--to', to]);
  const file = join(to, 'copy-me', 'process.json');
  const settings = s.dictionary(s.anything).parse(read(to, 'copy-me/process.json'));
  writeFileSync(file, JSON.stringify({ ...settings, processID: undefined, processName: 'Copied' }));
  expect(await user.run(['import', to])).toMatchObject({
    status: 4,
    stderr: expect.stringMatching(/origins\/Shop: signature/),
  });
  const env = { BATUTA_SIGNATURE_SECRET: 'another-secret' };
  expect(await user.json(['import', to], { env })).toMatchObject({ processes: [{ action: 'create' }] });
  expect(await user.run(['diff', to])).toMatchObject({ status: 0 });
  const shown = s.object({ origins: s.list(s.object({ name: s.text(), signature: s.anything })) });
  const { origins } = shown.parse(await user.json(['origins', 'list', 'Copied']));
  expect(origins).toEqual([
    expect.objectContaining({ name: 'Shop', signature: { header: 'X-Signature', toleranceSeconds: null } }),
  ]);
});

test('three imports at once make one process, and all end with what the files say', async () => {
  const processID = await makeExportableProcess('Twin');
  const to = join(user.home, 'git');
  await user.json(['export', processID, '--to', to]);
  const settings = s.dictionary(s.anything).parse(read(to, 'twin/process.json'));
  writeFileSync(
    join(to, 'twin/process.json'),
    JSON.stringify({ ...settings, processID: undefined, processName: 'Twins' }),
  );
  const env = { BATUTA_SIGNATURE_SECRET: 'another-secret' };
  const results = await Promise.all([1, 2, 3].map(() => user.run(['import', to], { env })));
  expect(results.map(({ status, stderr }) => [status, stderr])).toEqual([
    [0, ''],
    [0, ''],
    [0, ''],
  ]);
  const list = s.object({ processes: s.list(s.object({ processName: s.text() })) });
  const { processes } = list.parse(await user.json(['processes', 'list']));
  expect(processes.filter(({ processName }) => processName === 'Twins')).toHaveLength(1);
  expect(await user.run(['diff', to])).toMatchObject({ status: 0 });
  const origins = s.object({ origins: s.list(s.anything) });
  expect(origins.parse(await user.json(['origins', 'list', 'Twins'])).origins).toHaveLength(1);
});

test('an import that is cut off after any change is finished by the next one', async () => {
  const processID = await makeExportableProcess('Cut');
  const to = join(user.home, 'git');
  await user.json(['export', processID, '--to', to]);
  const settings = s.dictionary(s.anything).parse(read(to, 'cut/process.json'));
  writeFileSync(
    join(to, 'cut/process.json'),
    JSON.stringify({ ...settings, processID: undefined, processName: 'Cut off' }),
  );
  const env = { BATUTA_SIGNATURE_SECRET: 'another-secret' };
  const results: number[] = [];
  // Each import is cut off after its first change, before the program learns that it took effect.
  for (let changed = true; changed && results.length < 20;) {
    const cut = new AbortController();
    changed = false;
    const spy = jest.spyOn(globalThis, 'fetch').mockImplementation(async (...request) => {
      const response = await realFetch(...request);
      const [first] = request;
      if (!(first instanceof Request) || first.method === 'GET') return response;
      changed = true;
      cut.abort();
      throw new TypeError('cut off');
    });
    results.push((await user.run(['import', to], { env, signal: cut.signal })).status);
    spy.mockRestore();
  }
  expect([results.length > 4, results.at(-1), new Set(results.slice(0, -1))]).toEqual([true, 0, new Set([130])]);
  expect(await user.run(['diff', to])).toMatchObject({ status: 0 });
  const list = s.object({ processes: s.list(s.object({ processName: s.text() })) });
  const { processes } = list.parse(await user.json(['processes', 'list']));
  expect(processes.filter(({ processName }) => processName === 'Cut off')).toHaveLength(1);
  const origins = s.object({ origins: s.list(s.anything) });
  expect(origins.parse(await user.json(['origins', 'list', 'Cut off'])).origins).toHaveLength(1);
});

test('schedules and captures are listed and changed; operators see plans and companies', async () => {
  const { processID } = await makeProcess(stack, { owner });
  const build = new TestUser({
    BATUTA_GATEWAY_URL: stack.gateway,
    BATUTA_CREDENTIAL: owner.credential,
    BATUTA_PROCESS_KEY: await makeProcessKey(owner, processID),
  });
  // One user is logged in; the other one, a build, has only a credential and a process key.
  for (const one of [user, build]) {
    const create = ['schedules', 'create', processID, '--name', 'Daily', '--cron', '0 8 * * *'];
    const { id } = s.object({ id: s.text() }).parse(await one.json(create));
    expect(await one.json(['schedules', 'list', processID])).toMatchObject({ schedules: [{ id, active: true }] });
    expect(await one.run(['schedules', 'switch', id, 'off'])).toMatchObject({ status: 0 });
    expect(await one.json(['schedules', 'list'])).toMatchObject({ schedules: [{ id, active: false }] });
    expect(await one.run(['schedules', 'delete', id])).toMatchObject({ status: 0 });
  }
  await build.remove();

  const origin = s
    .object({ devUrl: s.text() })
    .parse(await owner.manage('POST', `/processes/${processID}/origins`, { name: 'Shop' }));
  await fetch(origin.devUrl.replace(/^.*\/v1\//, `${stack.gateway}/v1/`), {
    method: 'POST',
    body: '{"order":{"total":"1,50"}}',
  });
  const list = s.object({ captures: s.list(s.object({ id: s.text(), origin: s.text() })) });
  const { captures } = list.parse(await user.json(['captures', 'list', processID]));
  expect(captures).toEqual([expect.objectContaining({ origin: 'Shop' })]);
  const capture = captures[0]?.id ?? '';
  expect((await user.run(['captures', 'show', capture])).stdout).toContain('"total": "1,50"');
  expect(await user.run(['plans', 'list'])).toMatchObject({ status: 4, stderr: expect.stringContaining('FORBIDDEN') });

  const operator = new TestUser({ BATUTA_CONSOLE_URL: stack.console });
  const { email, password } = stack.operator;
  expect(await operator.run(['login', '--email', email], { input: `${password}\n` })).toMatchObject({ status: 0 });
  const keeping = ['plans', 'create', `Keeping ${capture}`, '--audit-days', '90'];
  const plan = s.object({ id: s.text() }).parse(await operator.json(keeping));
  expect(plan).toMatchObject({ auditDays: 90, ledgerDays: null });
  const change = ['plans', 'change', plan.id, '--audit-days', 'forever', '--ledger-days', '365'];
  expect(await operator.json(change)).toMatchObject({ auditDays: null, ledgerDays: 365 });
  expect((await operator.run([...change.slice(0, 3), '--ledger-days', '29'])).stderr).toContain(
    'ledgerDays: must be at least 30',
  );
  expect((await operator.run(['plans', 'list'])).stdout).toMatch(/PLAN +NAME.*AUDIT DAYS +LEDGER DAYS/);
  expect((await operator.run(['companies', 'list'])).stdout).toContain(owner.company.companyID);
  expect(await operator.run(['logout'])).toMatchObject({ status: 0 });
  expect(await operator.run(['plans', 'list'])).toMatchObject({ status: 3 });
  await operator.remove();
  expect(existsSync(user.configFolder)).toBe(true);
});
