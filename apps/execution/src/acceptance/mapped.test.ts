import {
  execution,
  type MappedValues,
  type StartRequest,
  type TriggerKind,
  type InstanceWork,
} from '@batuta/contracts';
import { v7 as uuid } from 'uuid';
import {
  connectAgent,
  creditsOf,
  registerProcess,
  startRequest,
  startWorld,
  type ProcessOptions,
  type TestProcess,
  type ExecutionWorld,
} from '../../test/world';

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const ORIGIN_ID = uuid();

/** A process with a Moeda and a Secreto, and a request with the values that a mapping took from a payload. */
async function startMapped(options: ProcessOptions = {}) {
  const [total, token] = [uuid(), uuid()];
  const at = await registerProcess(world.store, {
    matrix: [
      { id: total, name: 'total', type: 'Moeda' },
      { id: token, name: 'token', type: 'Secreto' },
    ],
    ...options,
  });
  const values = [
    { variableID: total, value: '10,50' },
    { variableID: token, value: 's3cret' },
  ];
  const request = (kind: TriggerKind, over: Partial<MappedValues> = {}) =>
    startRequest(at, {
      trigger: { kind, accountID: null, userName: 'Shop', executor: 'Shop' },
      mapped: { originID: ORIGIN_ID, versionID: at.versionID, values, ...over },
    });
  return { ...at, request };
}

async function claimOne(at: TestProcess): Promise<InstanceWork | undefined> {
  const sessionID = await connectAgent(world.store, at.environmentID);
  const { environmentID } = at;
  return (await world.rpc.call(execution.claim, { environmentID, sessionID, limit: 1 })).work[0];
}

const start = (of: StartRequest) => world.rpc.call(execution.start, of);
const lastAuditEvent = async (at: TestProcess) =>
  (await world.rpc.call(execution.audit, { processID: at.processID, limit: 1 })).events[0];

test('a start by a webhook has the values of the payload, and its origin in the audit trail', async () => {
  const at = await startMapped();
  await start(at.request('webhook'));
  expect(await lastAuditEvent(at)).toMatchObject({
    action: 'start',
    executor: 'Shop',
    accountID: null,
    detail: { trigger: 'webhook', originID: ORIGIN_ID, userName: 'Shop' },
  });
  const work = await claimOne(at);
  expect(work?.userName).toBe('Shop');
  expect(work?.matrix.map(({ name, value }) => [name, value])).toEqual([
    ['total', 10.5],
    ['token', 's3cret'],
  ]);
});

test('a mapped variable that has been deleted is skipped and recorded in the audit trail', async () => {
  const at = await startMapped();
  const gone = uuid();
  await start(at.request('webhook', { values: [{ variableID: gone, value: 1 }] }));
  expect((await lastAuditEvent(at))?.detail).toMatchObject({ skippedVariables: [gone] });
});

test('a start with the mapping of another version than the published one is refused', async () => {
  const at = await startMapped();
  await expect(start(at.request('webhook', { versionID: uuid() }))).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(await claimOne(at)).toBeUndefined();
});

test('a debug run uses the draft as it was at the request, carries no Secreto and costs no credit', async () => {
  const draft = '{"start":"new","steps":[{"name":"new","type":"wait","seconds":1}]}';
  const at = await startMapped({ published: false, active: false, draft });
  await start(at.request('debug', { versionID: null, captureID: uuid() }));
  await world.store.write(`UPDATE process SET draft_flow = '{"start":"later","steps":[]}' WHERE process_id = ?`, [
    at.processID,
  ]);
  const work = await claimOne(at);
  expect(work).toMatchObject({ version: '0', flow: JSON.parse(draft) });
  expect(work?.matrix.map(({ name, value }) => [name, value])).toEqual([
    ['total', 10.5],
    ['token', null],
  ]);
  const charged = await world.store.rows("SELECT 1 FROM credit_entry WHERE company_id = ? AND kind = 'start'", [
    at.companyID,
  ]);
  expect(charged).toEqual([]);
});

test.each(['Texto', 'Número', 'Moeda', 'Verdadeiro/Falso', 'Lista', 'Objeto', 'Secreto'])(
  'a number that no double holds, mapped to a %s, is refused uncharged, and the refusal names the variable',
  async (type) => {
    const variableID = uuid();
    const at = await startMapped({ matrix: [{ id: variableID, name: 'order', type, default: null }] });
    const values = [{ variableID, value: [[]], unheld: true as const }];
    await expect(start(at.request('webhook', { values }))).rejects.toMatchObject({
      code: 'INVALID_MATRIX',
      message: expect.stringMatching(/^order: has a number beyond the range of a double/),
    });
    expect((await creditsOf(world.store, at.companyID)).balance).toBe(0);
    expect(await claimOne(at)).toBeUndefined();
  },
);

test('a debug run of a process without a saved flow is refused', async () => {
  const at = await startMapped({ draft: null });
  await expect(start(at.request('debug'))).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringMatching(/^flow: /),
  });
});
