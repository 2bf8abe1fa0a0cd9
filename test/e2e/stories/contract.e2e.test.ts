import type { Flow } from '@batuta/flow';
import * as s from '../../support/shape';
import { call, type HttpAnswer } from '../support/tenants/api';
import * as shapes from '../support/contract/response-shapes';
import {
  EMPTY_FLOW,
  makeEnvironment,
  makeOwner,
  makeProcess,
  publish,
  type Environment,
  type Owner,
  type Process,
} from '../support/tenants/factories';
import { startBarrier, type Barrier } from '../support/faults/barrier';
import { untilEnded, instanceOf, untilStatus } from '../support/tenants/instances';
import { startStack } from '../support/stack/in-process-stack';
import type { Stack } from '../support/stack/stack';

// Every field in the public answers of real services: a missing or an additional field fails the test.

const VARIABLES = [
  { name: 'total', type: 'Moeda', default: '10,5' },
  { name: 'items', type: 'Lista' },
  { name: 'token', type: 'Secreto' },
];
const SECRET = 's3cret-of-the-caller';

/** A flow that logs its values, waits at the barrier, fails on request, and reaches its last step only with the real secret. */
const flowWaitingAt = (barrier: Barrier): Flow => ({
  start: 'Read',
  steps: [
    {
      name: 'Read',
      type: 'variables',
      rows: [
        { name: 'said', mode: 'Variável ou texto', value: 'total {matrix.total}' },
        { name: 'twice', mode: 'Fórmula', value: '{matrix.total} * 2' },
        { name: 'hidden', mode: 'Variável ou texto', value: 'token {matrix.token}' },
      ],
      routes: [{ to: 'Gate' }],
    },
    barrier.step('Gate', [
      { when: '{matrix.total} < 0', to: 'Fail' },
      { when: `{matrix.token} === "${SECRET}"`, to: 'With the secret' },
    ]),
    { name: 'Fail', type: 'script', code: 'throw new Error("too little")' },
    { name: 'With the secret', type: 'variables' },
  ],
});

let stack: Stack;
let owner: Owner;
let place: Environment;
let process: Process;
let barrier: Barrier;

beforeAll(async () => {
  barrier = await startBarrier();
  stack = await startStack();
  owner = await makeOwner(stack);
  place = await makeEnvironment(stack, { owner, name: 'Plant' });
  process = await makeProcess(stack, {
    environment: place,
    matrix: VARIABLES,
    flow: flowWaitingAt(barrier),
    processName: 'Orders',
  });
});

afterAll(async () => {
  await barrier?.stop();
  await stack?.stop();
});

const callWithKey = (path: string, { processKey, processID } = process) =>
  owner.api('GET', `/processes/${processID}${path}`, { processKey });

/** The JSON body of an answer, after a check that the call succeeded. */
function checkedBodyOf({ status, body, headers }: HttpAnswer, wanted = 200): unknown {
  expect([status, headers.get('content-type')]).toEqual([wanted, expect.stringMatching(/^application\/json/)]);
  return body;
}

test('ping and me answer with exactly their fields', async () => {
  expect(checkedBodyOf(await call('GET', `${stack.gateway}/v1/ping`))).toEqual({ ok: true, version: '1' });
  const me = checkedBodyOf(await owner.api('GET', '/me'));
  const account = s.exactObject({ email: s.text(), name: s.text(), credId: s.text(), credLabel: s.text() });
  expect(s.exactObject({ account }).parse(me)).toMatchObject({
    account: { email: owner.email, credLabel: owner.label },
  });
});

test('environments and processes, own and shared, answer with exactly their fields and without activation key or owner id', async () => {
  const administrator = await makeOwner(stack, { company: owner.company, role: 'administrator' });
  const shared = await makeEnvironment(stack, { owner: administrator, name: 'For all' });
  await administrator.manage('PATCH', `/environments/${shared.environmentID}`, { shared: true });
  const foreign = await makeProcess(stack, { owner: administrator });
  await administrator.manage('PUT', `/processes/${foreign.processID}/shares/${owner.email}`, { execute: true });

  const { environments } = s
    .exactObject({ environments: s.list(shapes.environmentShape) })
    .parse(checkedBodyOf(await owner.api('GET', '/environments')));
  expect(environments.map(({ name, shared: isShared }) => [name, isShared])).toEqual([
    ['Plant', false],
    ['For all', true],
  ]);
  const answer = checkedBodyOf(await owner.api('GET', '/processes'));
  const { processes } = s
    .exactObject({ processes: s.pair(shapes.ownProcessSummaryShape, shapes.sharedProcessSummaryShape) })
    .parse(answer);
  expect(processes).toMatchObject([
    { processID: process.processID, processName: 'Orders', agentName: 'Plant' },
    { processID: foreign.processID, permissions: { execute: true, edit: false } },
  ]);
});

test('a process and its Matrix answer with exactly their fields, with converted defaults and without the default of a Secreto', async () => {
  const shown = [
    { name: 'total', type: 'Moeda', default: 10.5 },
    { name: 'items', type: 'Lista', default: [] },
    { name: 'token', type: 'Secreto', default: '' },
  ];
  expect(shapes.processShape.parse(checkedBodyOf(await callWithKey('')))).toMatchObject({
    processID: process.processID,
    apiEnabled: true,
    currentVersion: 1,
    avgHumanTime: '00:10:00',
    avgOperatorCost: 30,
    matrix: shown,
  });
  expect(s.exactObject({ matrix: shapes.matrixShape }).parse(checkedBodyOf(await callWithKey('/matrix')))).toEqual({
    matrix: shown,
  });
});

test('a replaced Matrix applies to the next start, also when two requests replace it at the same time', async () => {
  const orders = await makeProcess(stack, { environment: place, matrix: [{ name: 'n0', type: 'Número' }] });
  const replace = (name: string) =>
    owner.manage('PUT', `/processes/${orders.processID}/matrix`, { matrix: [{ name, type: 'Número' }] });
  const expectOnlyVariable = async (name: string) => {
    expect(checkedBodyOf(await orders.start({ matrix: { [name]: 1 } }), 202)).toMatchObject({ status: 'queued' });
    const refused = await orders.start({ matrix: { other: 1 } });
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'INVALID_MATRIX' } } });
  };
  for (const name of ['n0', 'n1', 'n2']) {
    await replace(name);
    await expectOnlyVariable(name);
  }
  await Promise.all(['x', 'y', 'z'].map(replace));
  const [left] = s
    .exactObject({ matrix: shapes.matrixShape })
    .parse(checkedBodyOf(await callWithKey('/matrix', orders))).matrix;
  await expectOnlyVariable(left?.name ?? '');
});

test('an instance answers with exactly the fields of its state: queued, running, ended, in the history, and in its log', async () => {
  const accepted = await process.start({ matrix: { total: 'R$ 1.234,56', items: 'a,b', token: SECRET } });
  expect(checkedBodyOf(accepted, 202)).toEqual({ instanceID: expect.any(String), status: 'queued' });
  const instanceID = instanceOf(accepted);
  const path = `/instances/${instanceID}`;
  expect(shapes.queuedInstanceShape.parse(checkedBodyOf(await owner.api('GET', path)))).toMatchObject({
    instanceID,
    userName: owner.label,
  });

  barrier.shut();
  await stack.startAgent(place);
  await untilStatus(owner, instanceID, 'running');
  shapes.runningInstanceShape.parse(checkedBodyOf(await owner.api('GET', path)));
  expect(checkedBodyOf(await owner.api('POST', `${path}/pause`))).toEqual({ ok: true, action: 'pause' });
  expect(checkedBodyOf(await owner.api('POST', `${path}/resume`))).toEqual({ ok: true, action: 'resume' });
  barrier.open();
  await untilEnded(owner, instanceID);
  const last = shapes.endedInstanceShape.parse(checkedBodyOf(await owner.api('GET', path)));
  expect(last).toMatchObject({ status: 'success', errorStep: null, errorMessage: null, version: '1' });
  // An execution replaces ten minutes of a person's work, at a cost of 30 per hour.
  expect([last.fteHours, last.savingsValue]).toEqual([1 / 6, 5]);

  const history = s.exactObject({
    from: shapes.dayShape,
    to: shapes.dayShape,
    executions: s.list(shapes.historyItemShape),
  });
  const { executions } = history.parse(checkedBodyOf(await callWithKey('/executions')));
  const { errorStep: _step, errorMessage: _message, version: _version, ...item } = last;
  expect(executions).toEqual([item]);

  const { logs } = s
    .exactObject({ logs: s.list(shapes.logLineShape) })
    .parse(checkedBodyOf(await owner.api('GET', `${path}/logs`)));
  expect(logs.map(({ timestamp }) => timestamp)).toEqual(logs.map(({ timestamp }) => timestamp).toSorted());
  expect(logs[0]).toMatchObject({ userName: owner.label, version: '1' });
  const said = logs.map(({ message }) => message).join('\n');
  expect(said).toContain('said = "total 1.234,56", twice = 2469.12, hidden = •••');
  // Steps get the real value; the log never shows it.
  expect(logs.map(({ stepID }) => stepID)).toContain('With the secret');
  expect(said).not.toContain(SECRET);
});

test('with an agent online a start answers 200 started, and a failed instance shows its step and message', async () => {
  const started = await process.start({ matrix: { total: -1 } });
  expect(checkedBodyOf(started)).toEqual({ instanceID: expect.any(String), status: 'started' });
  await untilEnded(owner, instanceOf(started));
  const last = shapes.endedInstanceShape.parse(
    checkedBodyOf(await owner.api('GET', `/instances/${instanceOf(started)}`)),
  );
  expect(last).toMatchObject({ status: 'error', errorStep: 'Fail', savingsValue: 0, fteHours: 0 });
  expect(last.errorMessage).toContain('too little');
});

test('the version published at the time of the start runs, whatever version the caller names; nothing runs before the first', async () => {
  const fresh = await makeProcess(stack, { environment: place, flow: null });
  expect(await fresh.start()).toMatchObject({ status: 409, body: { error: { code: 'PROCESS_NOT_PUBLISHED' } } });
  expect(checkedBodyOf(await callWithKey('', fresh))).toMatchObject({ currentVersion: 0 });
  for (const [version, other] of ['1', '2'].map((number) => [number, number === '1' ? 2 : 1] as const)) {
    await publish(owner, fresh.processID, EMPTY_FLOW);
    expect(checkedBodyOf(await callWithKey('', fresh))).toMatchObject({ currentVersion: Number(version) });
    const { processKey } = fresh;
    const named = { processKey, body: { version: other } };
    const answer = await owner.api('POST', `/processes/${fresh.processID}/start?version=${other}`, named);
    expect(await untilEnded(owner, instanceOf(answer))).toMatchObject({ status: 'success', version });
  }
});

test('a repeated Idempotency-Key returns the first instance, marked as replayed, and starts nothing', async () => {
  const key = { 'idempotency-key': 'order-4711' };
  const first = await process.start({}, key);
  expect(checkedBodyOf(first)).toEqual({ instanceID: expect.any(String), status: 'started' });
  const again = await process.start({ matrix: { total: 5 } }, key);
  expect(checkedBodyOf(again)).toEqual({ instanceID: instanceOf(first), status: 'started', replayed: true });
  expect(again.headers.get('idempotency-mismatch')).toBe('true');
});

test('an instance of a shared process is seen and stopped by its starter and the owner, and by nobody else', async () => {
  const guest = await makeOwner(stack);
  const stranger = await makeOwner(stack);
  const offline = await makeProcess(stack, { owner });
  const { processID, processKey } = offline;
  await owner.manage('PUT', `/processes/${processID}/shares/${guest.email}`, { execute: true });
  const instanceID = instanceOf(await guest.api('POST', `/processes/${processID}/start`, { processKey }));
  expect(await guest.api('GET', `/instances/${instanceID}`)).toMatchObject({ body: { userName: guest.label } });
  expect((await owner.api('GET', `/instances/${instanceID}/logs`)).status).toBe(200);
  expect((await stranger.api('POST', `/instances/${instanceID}/stop`)).status).toBe(404);

  await owner.manage('PATCH', `/processes/${processID}`, { apiPermission: 'BLOQUEADO' });
  expect(checkedBodyOf(await guest.api('POST', `/instances/${instanceID}/stop`))).toEqual({ ok: true, action: 'stop' });
  expect(await owner.api('GET', `/instances/${instanceID}`)).toMatchObject({
    body: { status: 'stopped', durationSeconds: 0 },
  });
  const { events } = s
    .object({ events: s.list(s.object({ action: s.text(), executor: s.text() })) })
    .parse(await owner.manage('GET', `/processes/${processID}/audit`));
  const executors = events.filter(({ action }) => action === 'start').map(({ executor }) => executor);
  expect(executors).toEqual([offline.identifier]);
});

test('neither a credential nor a process key contains an id of an account, a company or a process', async () => {
  const ids = await listOwnedIDs();
  expect(ids.length).toBeGreaterThan(3);
  for (const secret of [owner.credential, process.processKey]) {
    const bare = secret.replaceAll('-', '').toLowerCase();
    expect(ids.filter((id) => bare.includes(id.replaceAll('-', '').toLowerCase()))).toEqual([]);
  }
});

/** The ids of the accounts, company, plan, process and environment of the owner. */
async function listOwnedIDs(): Promise<string[]> {
  const administrator = await makeOwner(stack, { company: owner.company, role: 'administrator' });
  const { accounts } = s
    .object({ accounts: s.list(s.object({ id: s.uuid })) })
    .parse(await administrator.manage('GET', '/accounts'));
  const others = [owner.company.companyID, owner.company.planID, process.processID, place.environmentID];
  return [...accounts.map(({ id }) => id), ...others];
}
