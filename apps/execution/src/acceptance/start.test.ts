import { execution, type StartRequest } from '@batuta/contracts';
import { v7 as uuid } from 'uuid';
import {
  connectAgent,
  countOf,
  creditsOf,
  registerProcess,
  replaceMatrix,
  startRequest,
  startWorld,
  type ProcessOptions,
  type ExecutionWorld,
} from '../../test/world';

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld(2);
});
afterAll(() => world?.close());

const start = (request: StartRequest) => world.rpc.call(execution.start, request);
const countInstances = (processID: string) => countOf(world.store, 'instance', 'process_id = ?', [processID]);

test('an accepted start writes an instance, a sealed input, a ledger row and an audit event', async () => {
  const at = await registerProcess(world.store, { credits: 10, matrix: [{ name: 'pin', type: 'Secreto' }] });
  await connectAgent(world.store, at.environmentID);
  const request = startRequest(at, { matrix: { pin: 'se-cr-et' } });
  expect(await start(request)).toEqual({ instanceID: request.instanceID, status: 'started' });
  const input = await world.store.row<{ sealed: Buffer }>('SELECT sealed FROM instance_input WHERE instance_id = ?', [
    request.instanceID,
  ]);
  expect(input?.sealed.length).toBeGreaterThan(0);
  expect(input?.sealed.includes('se-cr-et')).toBe(false);
  expect(await creditsOf(world.store, at.companyID)).toEqual({ balance: 9, ledger: 9 });
  const audit = await world.rpc.call(execution.audit, { processID: at.processID, limit: 10 });
  expect(audit.events).toMatchObject([{ action: 'start', executor: 'erp-key', instanceID: request.instanceID }]);
  expect(JSON.stringify(audit)).not.toContain('se-cr-et');
});

test('a start in an offline environment with a queue is queued', async () => {
  const at = await registerProcess(world.store);
  expect(await start(startRequest(at))).toMatchObject({ status: 'queued' });
});

const REFUSED_STARTS: [string, ProcessOptions, Partial<StartRequest>][] = [
  ['OWNER_INACTIVE', { ownerBlocked: true, published: false }, {}],
  ['OWNER_INACTIVE', { companySuspended: true }, {}],
  ['PROCESS_NOT_PUBLISHED', { published: false }, { matrix: { none: 1 } }],
  ['PROCESS_NOT_PUBLISHED', { active: false }, {}],
  ['INVALID_MATRIX', { matrix: [{ name: 'n', type: 'Número' }] }, { matrix: { n: 'x' }, environmentID: uuid() }],
  ['INVALID_MATRIX', {}, { matrix: { none: 1 } }],
  ['INVALID_ENVIRONMENT', { credits: 0 }, { environmentID: uuid() }],
  ['INSUFFICIENT_CREDITS', { credits: 0, offlineFlow: false }, {}],
  ['AGENT_OFFLINE', { offlineFlow: false }, {}],
  ['PROCESS_NOT_FOUND', {}, { processID: uuid() }],
  ['ROUTER_ERROR', {}, { deadline: Date.now() - 60_000 }],
  ['ROUTER_ERROR', {}, { deadline: Date.now() - 60_000, processID: uuid() }],
];

test.each(REFUSED_STARTS)(
  'a start refused with %s (%j, %j) stores and charges nothing',
  async (code, options, over) => {
    const at = await registerProcess(world.store, { credits: 5, ...options });
    const request = startRequest(at, { idempotency: { scope: at.processID, key: 'k', body: '{}' }, ...over });
    await expect(start(request)).rejects.toMatchObject({ code });
    expect(await countInstances(at.processID)).toBe(0);
    expect(await countOf(world.store, 'credit_entry', "company_id = ? AND kind = 'start'", [at.companyID])).toBe(0);
    expect(await countOf(world.store, 'audit_event', 'process_id = ?', [at.processID])).toBe(0);
    expect(await countOf(world.store, 'idempotency_key', 'instance_id = ?', [request.instanceID])).toBe(0);
  },
);

test.each([-60_000, 60_000])('a start keeps its deadline when the clock of the machine is %i ms off', async (off) => {
  const at = await registerProcess(world.store);
  const [inTime, tooLate] = [
    startRequest(at, { deadline: Date.now() + 50_000 }),
    startRequest(at, { deadline: Date.now() - 10_000 }),
  ];
  const actual = Date.now.bind(Date);
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => actual() + off);
  try {
    expect(await start(inTime)).toMatchObject({ status: expect.any(String) });
    await expect(start(tooLate)).rejects.toMatchObject({ code: 'ROUTER_ERROR' });
  } finally {
    clock.mockRestore();
  }
});

test('a start uses the Matrix that was registered last, whatever its replica has cached', async () => {
  const at = await registerProcess(world.store, { matrix: [{ name: 'before', type: 'Número' }] });
  for (let n = 0; n < 10; n += 1) await start(startRequest(at, { matrix: { before: n } }));
  await replaceMatrix(world.store, at.processID, [{ name: 'after', type: 'Texto', default: 'first' }]);
  for (let n = 0; n < 10; n += 1) {
    const refused = start(startRequest(at, { matrix: { before: n } }));
    await expect(refused).rejects.toMatchObject({ code: 'INVALID_MATRIX' });
    await start(startRequest(at, { matrix: { after: 'sent' } }));
  }
  await replaceMatrix(world.store, at.processID, [{ name: 'after', type: 'Texto', default: 'second' }]);
  const { instanceID } = await start(startRequest(at));
  const sessionID = await connectAgent(world.store, at.environmentID);
  const { work } = await world.rpc.call(execution.claim, { environmentID: at.environmentID, sessionID, limit: 50 });
  expect(work.find((one) => one.instanceID === instanceID)?.matrix).toEqual([
    { name: 'after', type: 'Texto', value: 'second' },
  ]);
});

test('a refused start of a batch fails alone, and the balance never goes below zero', async () => {
  const at = await registerProcess(world.store, { credits: 10, matrix: [{ name: 'n', type: 'Número' }] });
  const requests = Array.from({ length: 40 }, (_, n) => startRequest(at, { matrix: { n: n % 4 === 3 ? 'bad' : n } }));
  const settled = await Promise.allSettled(requests.map(start));
  const codes = settled.map((one) => (one.status === 'fulfilled' ? 'ok' : String(one.reason.code)));
  expect(codes.filter((code) => code === 'INVALID_MATRIX')).toHaveLength(10);
  expect(codes.filter((code) => code === 'INSUFFICIENT_CREDITS')).toHaveLength(20);
  expect(await countInstances(at.processID)).toBe(10);
  expect(await creditsOf(world.store, at.companyID)).toEqual({ balance: 0, ledger: 0 });
});

test('a request that is sent several times, to any replica, starts once', async () => {
  const at = await registerProcess(world.store);
  const request = startRequest(at);
  const replies = await Promise.all(Array.from({ length: 10 }, () => start(request)));
  for (const reply of replies) expect(reply).toEqual({ instanceID: request.instanceID, status: 'queued' });
  expect(await start(request)).toEqual({ instanceID: request.instanceID, status: 'queued' });
  expect(await countInstances(at.processID)).toBe(1);
  expect(await creditsOf(world.store, at.companyID)).toEqual({ balance: 99, ledger: 99 });
});

test.each([
  ['took the last credit', { credits: 1 }, {}, async () => {}],
  ['met its deadline', {}, { deadline: 0 }, async () => {}],
  [
    'found the agent online',
    { offlineFlow: false },
    {},
    (environmentID: string) => world.store.write('DELETE FROM agent_session WHERE environment_id = ?', [environmentID]),
  ],
])(
  'a start that %s is found when its request is sent again, and keeps its idempotency key',
  async (_, options, over, change) => {
    const at = await registerProcess(world.store, options);
    await connectAgent(world.store, at.environmentID);
    const request = startRequest(at, { idempotency: { scope: at.processID, key: 'again', body: '{}' } });
    const first = await start(request);
    await change(at.environmentID);
    expect(await start({ ...request, ...over, resent: true })).toEqual(first);
    // The first request may reach a slow replica, and then arrives after the repeated one.
    expect(await start({ ...request, ...over })).toEqual(first);
    const replay = await start({ ...request, instanceID: uuid() });
    expect(replay).toEqual({ ...first, replayed: true });
    expect(await countInstances(at.processID)).toBe(1);
  },
);

test('a start whose rows exist without its instance is UNAVAILABLE, and the other starts of its batch are accepted', async () => {
  const at = await registerProcess(world.store);
  const requests = Array.from({ length: 20 }, () => startRequest(at));
  await world.store.write(
    "INSERT INTO credit_entry (company_id, kind, amount, instance_id, created_at) VALUES (?, 'start', -1, ?, UTC_TIMESTAMP(3))",
    [at.companyID, requests[3]?.instanceID],
  );
  const outcomes = await Promise.allSettled(requests.map(start));
  expect(outcomes).toMatchObject(
    requests.map((_, index) =>
      index === 3 ? { status: 'rejected', reason: { code: 'UNAVAILABLE' } } : { status: 'fulfilled' },
    ),
  );
  expect(await countInstances(at.processID)).toBe(19);
});

test('a start that was never accepted is refused again when its request is repeated', async () => {
  const at = await registerProcess(world.store, { credits: 0 });
  await expect(start(startRequest(at, { resent: true }))).rejects.toMatchObject({ code: 'INSUFFICIENT_CREDITS' });
});

test('concurrent starts with one idempotency key start once, and the others replay the first reply', async () => {
  const at = await registerProcess(world.store);
  const idempotency = { scope: at.processID, key: 'order-1', body: '{}' };
  const replies = await Promise.all(Array.from({ length: 20 }, () => start(startRequest(at, { idempotency }))));
  expect(new Set(replies.map(({ instanceID }) => instanceID)).size).toBe(1);
  expect(replies.filter(({ replayed }) => replayed)).toHaveLength(19);
  expect(await countInstances(at.processID)).toBe(1);
});

test('an idempotency key with another body replays the first reply and reports the mismatch', async () => {
  const at = await registerProcess(world.store);
  const idempotency = { scope: at.processID, key: 'order-2', body: '{}' };
  const first = await start(startRequest(at, { idempotency }));
  const again = await start(startRequest(at, { idempotency: { ...idempotency, body: '{"matrix":{}}' } }));
  expect(again).toEqual({ ...first, replayed: true, mismatch: true });
});

test('a refused start does not spend its idempotency key', async () => {
  const at = await registerProcess(world.store, { matrix: [{ name: 'n', type: 'Número' }] });
  const idempotency = { scope: at.processID, key: 'order-3', body: '{}' };
  await expect(start(startRequest(at, { idempotency, matrix: { n: 'x' } }))).rejects.toMatchObject({
    code: 'INVALID_MATRIX',
  });
  expect(await start(startRequest(at, { idempotency, matrix: { n: 1 } }))).not.toHaveProperty('replayed');
});

test('an idempotency key can be used again after 24 hours', async () => {
  const at = await registerProcess(world.store);
  const idempotency = { scope: at.processID, key: 'order-4', body: '{}' };
  const first = await start(startRequest(at, { idempotency }));
  const setAge = (hours: number) =>
    world.store.write(
      'UPDATE idempotency_key SET created_at = UTC_TIMESTAMP(3) - INTERVAL ? MINUTE WHERE instance_id = ?',
      [hours * 60, first.instanceID],
    );
  await setAge(23.9);
  expect(await start(startRequest(at, { idempotency }))).toMatchObject({
    instanceID: first.instanceID,
    replayed: true,
  });
  await setAge(24.1);
  const second = await start(startRequest(at, { idempotency }));
  expect(second.instanceID).not.toBe(first.instanceID);
  expect(await start(startRequest(at, { idempotency }))).toMatchObject({
    instanceID: second.instanceID,
    replayed: true,
  });
});

test('the first start of a month resets the balance to the credits of the plan', async () => {
  const at = await registerProcess(world.store, { credits: 7 });
  await start(startRequest(at));
  await world.store.write("UPDATE credit_account SET period = '2001-01' WHERE company_id = ?", [at.companyID]);
  expect((await world.rpc.call(execution.credits, { companyIDs: [at.companyID] })).balances[at.companyID]).toBe(7);
  await start(startRequest(at));
  expect(await creditsOf(world.store, at.companyID)).toEqual({ balance: 6, ledger: 6 });
});

test('an upgrade of the plan adds its credits at once, and a downgrade applies with the next month', async () => {
  const at = await registerProcess(world.store, { credits: 5 });
  const setPlanCredits = (monthly: number) =>
    world.store.write(
      'UPDATE plan SET monthly_credits = ? WHERE plan_id = (SELECT plan_id FROM company WHERE company_id = ?)',
      [monthly, at.companyID],
    );
  const balance = async () =>
    (await world.rpc.call(execution.credits, { companyIDs: [at.companyID] })).balances[at.companyID];
  await start(startRequest(at));
  await setPlanCredits(8);
  expect(await balance()).toBe(7);
  await start(startRequest(at));
  expect(await creditsOf(world.store, at.companyID)).toEqual({ balance: 6, ledger: 6 });
  await setPlanCredits(2);
  await start(startRequest(at));
  await setPlanCredits(8);
  await start(startRequest(at));
  expect(await creditsOf(world.store, at.companyID)).toEqual({ balance: 4, ledger: 4 });
  expect(await balance()).toBe(4);
});

test('setting the credits of a company writes a ledger row for the difference', async () => {
  const at = await registerProcess(world.store, { credits: 7 });
  await start(startRequest(at));
  await world.rpc.call(execution.setCredits, { companyID: at.companyID, credits: 50 });
  expect(await creditsOf(world.store, at.companyID)).toEqual({ balance: 50, ledger: 50 });
});

test('a debug run costs no credit', async () => {
  const at = await registerProcess(world.store, { credits: 0 });
  const request = startRequest(at);
  await start({ ...request, trigger: { ...request.trigger, kind: 'debug' } });
  expect(await creditsOf(world.store, at.companyID)).toEqual({ balance: 0, ledger: 0 });
});

test('starts whose registered values are too large for one batch are accepted in smaller batches, each start once', async () => {
  const matrix = Array.from({ length: 9 }, (_, n) => ({
    name: `text${n}`,
    type: 'Texto',
    default: 'x'.repeat(99_000),
  }));
  const processes = [
    await registerProcess(world.store, { matrix }),
    await registerProcess(world.store, { matrix }),
    await registerProcess(world.store, { matrix }),
  ];
  const small = await registerProcess(world.store);
  const requests = [...processes, ...processes, ...processes, ...processes].map((at) => startRequest(at));
  const replies = await Promise.all([startRequest(small), ...requests].map((request) => start(request)));
  expect(new Set(replies.map(({ instanceID }) => instanceID)).size).toBe(13);
  for (const at of processes)
    expect([await countInstances(at.processID), (await creditsOf(world.store, at.companyID)).balance]).toEqual([4, 96]);
});
