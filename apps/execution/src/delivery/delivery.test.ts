import { execution, type Outcome, type ReportFrame, type Work } from '@batuta/contracts';
import { KeyRing } from '@batuta/secrets';
import { v7 as uuid } from 'uuid';
import {
  connect,
  countOf,
  creditsOf,
  register,
  startRequest,
  startWorld,
  type Options,
  type Registered,
  type World,
} from '../../test/world';
import { InstanceChangeNotifier } from '../instances/instance-change-notifier';
import { LostInstanceService } from './lost-instance.service';

let world: World;
beforeAll(async () => {
  world = await startWorld(2);
});
afterAll(() => world?.close());

type Running = Registered & { sessionID: string; work: Work };

const call = <Name extends keyof typeof execution>(name: Name) => execution[name];

async function queued(options?: Options): Promise<Registered & { sessionID: string; instanceID: string }> {
  const at = await register(world.store, options);
  const sessionID = await connect(world.store, at.environmentID);
  const { instanceID } = await world.rpc.call(execution.start, startRequest(at));
  return { ...at, sessionID, instanceID };
}

const claim = (at: { environmentID: string; sessionID: string }, limit = 1) =>
  world.rpc.call(execution.claim, { environmentID: at.environmentID, sessionID: at.sessionID, limit });

async function claimed(options?: Options): Promise<Running> {
  const at = await queued(options);
  const [work] = (await claim(at)).work;
  if (!work) throw new Error('Nothing was claimed');
  return { ...at, work };
}

async function running(options?: Options): Promise<Running> {
  const at = await claimed(options);
  await grant(at);
  return at;
}

const held = ({ work: { instanceID, fence } }: Running) => ({ instanceID, fence });
const grant = (at: Running) => world.rpc.call(execution.grant, { ...held(at), sessionID: at.sessionID });

function report(at: Running, seq: number, over: Partial<ReportFrame> = {}) {
  const lines: ReportFrame['lines'] = [
    { timestamp: new Date().toISOString(), severity: 'INFO', message: `line of ${seq}`, stepID: 'a' },
  ];
  return world.rpc.call(call('report'), {
    type: 'report' as const,
    ...held(at),
    sessionID: at.sessionID,
    seq,
    lines,
    ...over,
  });
}

const end = (outcome: Outcome) => ({ end: { outcome, errorStep: null, errorMessage: null } });
const viewerOf = (at: Registered) => ({ accountID: at.ownerID });
const read = (at: Running) =>
  world.rpc.call(execution.instance, { instanceID: at.work.instanceID, viewer: viewerOf(at) });
const logs = (at: Running) =>
  world.rpc.call(execution.logs, { instanceID: at.work.instanceID, viewer: viewerOf(at), limit: 1000 });
const control = (at: Registered, instanceID: string, action: 'stop' | 'pause' | 'resume') =>
  world.rpc.call(execution.control, { instanceID, action, viewer: viewerOf(at), executor: 'erp' });

test('a claim takes the oldest first, once, with all that is needed to run it', async () => {
  const at = await register(world.store, { matrix: [{ name: 'total', type: 'Moeda', default: 2 }] });
  const sessionID = await connect(world.store, at.environmentID);
  const ids: string[] = [];
  for (let n = 0; n < 5; n += 1) ids.push((await world.rpc.call(execution.start, startRequest(at))).instanceID);
  const claims = await Promise.all(Array.from({ length: 4 }, () => claim({ ...at, sessionID }, 2)));
  const works = claims.flatMap(({ work }) => work);
  expect(works.map(({ instanceID }) => instanceID).toSorted()).toEqual(ids.toSorted());
  expect(works[0]).toMatchObject({
    fence: 1,
    version: '1',
    userName: 'erp',
    flow: { start: 'a', steps: [] },
    matrix: [{ name: 'total', type: 'Moeda', value: 2 }],
  });
  const one = await register(world.store);
  const other = await connect(world.store, one.environmentID);
  const first = await world.rpc.call(execution.start, startRequest(one));
  await world.rpc.call(execution.start, startRequest(one));
  expect((await claim({ ...one, sessionID: other })).work).toMatchObject([{ instanceID: first.instanceID }]);
});

test('a claim takes no more than one message can carry, and leaves the rest in the queue', async () => {
  const at = await register(world.store, { matrix: [{ name: 'text', type: 'Texto' }] });
  const sessionID = await connect(world.store, at.environmentID);
  const matrix = { text: 'x'.repeat(900_000) };
  for (let n = 0; n < 6; n += 1) await world.rpc.call(execution.start, startRequest(at, { matrix }));
  const works = (await claim({ ...at, sessionID }, 50)).work;
  expect(works).toHaveLength(4);
  expect(await countOf(world.store, 'instance', "process_id = ? AND status = 'queued'", [at.processID])).toBe(2);
  expect((await claim({ ...at, sessionID }, 50)).work).toHaveLength(2);
});

test('what lost its process before it began is stopped and refunded, and what waits behind it goes on', async () => {
  const gone = await queued({ credits: 10 });
  await world.store.write('DELETE FROM process_version WHERE process_id = ?', [gone.processID]);
  const next = await queued();
  await world.store.write('UPDATE instance SET environment_id = ? WHERE instance_id = ?', [
    gone.environmentID,
    next.instanceID,
  ]);
  expect((await claim(gone, 5)).work.map(({ instanceID }) => instanceID)).toEqual([next.instanceID]);
  const body = await world.rpc.call(execution.instance, { instanceID: gone.instanceID, viewer: viewerOf(gone) });
  expect(body).toMatchObject({ status: 'stopped', errorMessage: expect.stringContaining('deleted') });
  expect(await creditsOf(world.store, gone.companyID)).toEqual({ balance: 10, ledger: 10 });
});

test('a queued instance shows its acceptance, a claimed one is unknown, a granted one runs', async () => {
  const at = await claimed();
  expect(await read(at)).toMatchObject({ status: 'unknown', userName: 'erp', startedAt: expect.any(Number) });
  expect(await grant(at)).toEqual({ granted: true, desired: 'run' });
  expect(await grant(at)).toEqual({ granted: true, desired: 'run' });
  expect(await read(at)).toMatchObject({ status: 'running' });
});

test('only the session and the fence of the claim are granted', async () => {
  const at = await claimed();
  const other = { ...held(at), sessionID: uuid() };
  expect(await world.rpc.call(execution.grant, other)).toMatchObject({ granted: false });
  expect(await world.rpc.call(execution.grant, { ...other, sessionID: at.sessionID, fence: 7 })).toMatchObject({
    granted: false,
  });
});

test('a release counts what it gave back, not what was asked', async () => {
  const [offered, granted] = [await claimed(), await running()];
  const asked = (at: Running, fence = at.work.fence) =>
    world.rpc.call(execution.release, {
      sessionID: at.sessionID,
      instances: [
        { instanceID: at.work.instanceID, fence },
        { instanceID: uuid(), fence: 1 },
      ],
    });
  expect(await asked(granted)).toEqual({ released: 0 });
  expect(await asked(offered, 9)).toEqual({ released: 0 });
  expect(await asked(offered)).toEqual({ released: 1 });
  expect(await asked(offered)).toEqual({ released: 0 });
});

test('a released offer is queued again, and its old grant is worth nothing', async () => {
  const at = await claimed();
  await world.rpc.call(execution.release, { sessionID: at.sessionID, instances: [held(at)] });
  expect(await read(at)).toMatchObject({ status: 'queued' });
  expect(await grant(at)).toMatchObject({ granted: false });
  const [again] = (await claim(at)).work;
  expect(again).toMatchObject({ instanceID: at.work.instanceID, fence: 2 });
  expect(await grant(at)).toMatchObject({ granted: false });
});

test('a granted instance is not released', async () => {
  const at = await running();
  await world.rpc.call(execution.release, { sessionID: at.sessionID, instances: [held(at)] });
  expect(await read(at)).toMatchObject({ status: 'running' });
});

test('reports are written once, in order, and the end closes the instance', async () => {
  const at = await running();
  expect(await report(at, 1)).toEqual({ accepted: true, seq: 1 });
  expect(await report(at, 1)).toEqual({ accepted: true, seq: 1 });
  await expect(report(at, 3)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  const twice = await Promise.all([report(at, 2, end('FINALIZED')), report(at, 2, end('FINALIZED'))]);
  for (const reply of twice) expect(reply).toEqual({ accepted: true, seq: 2 });
  expect((await logs(at)).logs.map(({ message }) => message)).toEqual(['line of 1', 'line of 2']);
  expect(await read(at)).toMatchObject({
    status: 'success',
    version: '1',
    errorStep: null,
    errorMessage: null,
    fteHours: 0.5,
    savingsValue: 25,
    finishedAt: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  expect(await report(at, 3)).toEqual({ accepted: false, seq: 3 });
  expect(await countOf(world.store, 'instance_input', 'instance_id = ?', [at.work.instanceID])).toBe(0);
});

test.each([
  ['TERMINATED', 'terminated'],
  ['STEP_LIMIT_REACHED', 'error'],
  ['ERROR', 'error'],
  ['STOPPED', 'stopped'],
  ['CRASHED', 'error'],
] as const)('the end %s is the status %s and saves nothing', async (outcome, status) => {
  const at = await running();
  await report(at, 1, end(outcome));
  expect(await read(at)).toMatchObject({ status, savingsValue: 0, fteHours: 0 });
});

test('a report with an old fence is refused and changes nothing', async () => {
  const at = await running();
  expect(await report(at, 1, { fence: 9 })).toEqual({ accepted: false, seq: 1 });
  expect((await logs(at)).logs).toEqual([]);
});

test('history holds what ended, newest first, without debug runs', async () => {
  const at = await running();
  await report(at, 1, end('FINALIZED'));
  const range = { processID: at.processID, from: '2000-01-01', to: '2100-01-01', limit: 10 };
  await world.rpc.call(execution.start, startRequest(at));
  const debug = startRequest(at);
  await world.rpc.call(execution.start, { ...debug, trigger: { ...debug.trigger, kind: 'debug' } });
  for (const work of (await claim(at, 5)).work)
    await grant({ ...at, work }).then(() => report({ ...at, work }, 1, end('ERROR')));
  const { executions } = await world.rpc.call(execution.history, range);
  expect(executions.map(({ status }) => status)).toEqual(['error', 'success']);
  expect((await world.rpc.call(execution.history, { ...range, limit: 1 })).executions).toHaveLength(1);
  expect((await world.rpc.call(execution.history, { ...range, to: '2001-01-01' })).executions).toEqual([]);
});

test('stopped in the queue: ended at once, nothing lasted, the credit is back', async () => {
  const at = await queued();
  await control(at, at.instanceID, 'stop');
  const body = await world.rpc.call(execution.instance, { instanceID: at.instanceID, viewer: viewerOf(at) });
  expect(body).toMatchObject({ status: 'stopped', durationSeconds: 0 });
  expect(await creditsOf(world.store, at.companyID)).toEqual({ balance: 100, ledger: 100 });
  expect((await claim(at)).work).toEqual([]);
  await expect(control(at, at.instanceID, 'stop')).rejects.toMatchObject({ code: 'INSTANCE_FINISHED' });
});

test('stopped while offered: ended, never granted', async () => {
  const at = await claimed();
  await control(at, at.work.instanceID, 'stop');
  expect(await grant(at)).toMatchObject({ granted: false });
  expect(await read(at)).toMatchObject({ status: 'stopped' });
});

test('pause and resume are wishes that a router can read again', async () => {
  const at = await running();
  const desired = () => world.rpc.call(execution.desired, { sessionIDs: [at.sessionID] });
  await control(at, at.work.instanceID, 'pause');
  expect(await read(at)).toMatchObject({ status: 'running', paused: true });
  expect((await desired()).instances).toEqual([{ ...held(at), desired: 'pause', sessionID: at.sessionID }]);
  await expect(control(at, at.work.instanceID, 'pause')).rejects.toMatchObject({ code: 'INSTANCE_UNRESOLVED' });
  await control(at, at.work.instanceID, 'resume');
  expect(await read(at)).not.toHaveProperty('paused');
  await expect(control(at, at.work.instanceID, 'resume')).rejects.toMatchObject({ code: 'INSTANCE_UNRESOLVED' });
  await control(at, at.work.instanceID, 'stop');
  expect((await desired()).instances).toMatchObject([{ desired: 'stop' }]);
});

test('what waits says its place and why', async () => {
  const at = await register(world.store);
  const first = await world.rpc.call(execution.start, startRequest(at));
  const second = await world.rpc.call(execution.start, startRequest(at));
  const queueOf = async ({ instanceID }: { instanceID: string }) =>
    Object(await world.rpc.call(execution.instance, { instanceID, viewer: viewerOf(at) })).queue;
  expect(await queueOf(first)).toEqual({ position: 1, reason: 'AGENT_OFFLINE' });
  await connect(world.store, at.environmentID);
  expect(await queueOf(second)).toEqual({ position: 2, reason: 'AGENT_BUSY' });
});

test('news are the lines behind a number, oldest first, with the body', async () => {
  const at = await running();
  await report(at, 1);
  await report(at, 2);
  const news = (after: number, limit = 10) =>
    world.rpc.call(execution.news, { instanceID: at.work.instanceID, viewer: viewerOf(at), after, limit });
  expect((await news(0, 1)).lines).toMatchObject([{ line: 1, message: 'line of 1', stepID: 'a' }]);
  expect((await news(1)).lines).toMatchObject([{ line: 2, message: 'line of 2' }]);
  expect(await news(2)).toMatchObject({ body: { status: 'running' }, lines: [] });
});

test('an instance is there for its starter and the owner, and for nobody else', async () => {
  const at = await running();
  const viewer = { accountID: uuid() };
  const asked = { instanceID: at.work.instanceID, viewer };
  await expect(world.rpc.call(execution.instance, asked)).rejects.toMatchObject({ code: 'INSTANCE_NOT_FOUND' });
  await expect(world.rpc.call(execution.logs, { ...asked, limit: 1 })).rejects.toMatchObject({
    code: 'INSTANCE_NOT_FOUND',
  });
  const stop = world.rpc.call(execution.control, { ...asked, action: 'stop', executor: 'x' });
  await expect(stop).rejects.toMatchObject({ code: 'INSTANCE_NOT_FOUND' });
});

test('a resumed agent goes on with what it holds, also with what it had only accepted', async () => {
  const [ran, accepted, gone, unheld] = [await running(), await claimed(), await running(), await claimed()];
  const sessionID = await connect(world.store, ran.environmentID);
  await world.store.write('UPDATE instance SET environment_id = ?, session_id = ? WHERE instance_id IN (?)', [
    ran.environmentID,
    ran.sessionID,
    [accepted, gone, unheld].map(({ work }) => work.instanceID),
  ]);
  const stranger = { instanceID: uuid(), fence: 1 };
  const reply = await world.rpc.call(execution.adopt, {
    sessionID,
    previousSessionID: ran.sessionID,
    held: [held(ran), held(accepted), stranger],
  });
  expect(reply.granted.toSorted((a, b) => (a.instanceID < b.instanceID ? -1 : 1))).toEqual(
    [ran, accepted]
      .map((one) => ({ ...held(one), desired: 'run', requestID: one.work.requestID }))
      .toSorted((a, b) => (a.instanceID < b.instanceID ? -1 : 1)),
  );
  expect(reply.revoked).toEqual([stranger]);
  expect(await read(accepted)).toMatchObject({ status: 'running' });
  expect(await read(gone)).toMatchObject({ status: 'error', errorMessage: expect.stringContaining('lost') });
  expect(await read(unheld)).toMatchObject({ status: 'queued' });
});

test('a resume that comes after the session that asked for it is over takes nothing', async () => {
  const ran = await running();
  const sessionID = await connect(world.store, ran.environmentID);
  await world.store.write('UPDATE agent_session SET closed_at = UTC_TIMESTAMP(3) WHERE session_id = ?', [sessionID]);
  const asked = { sessionID, previousSessionID: ran.sessionID, held: [held(ran)] };
  await expect(world.rpc.call(execution.adopt, asked)).rejects.toThrow('is over');
  expect(await report(ran, 1)).toEqual({ accepted: true, seq: 1 });
});

test('a resume reaches no instance of another environment', async () => {
  const [mine, other] = [await running(), await running()];
  const sessionID = await connect(world.store, mine.environmentID);
  const asked = { sessionID, previousSessionID: other.sessionID, held: [held(other)] };
  expect(await world.rpc.call(execution.adopt, asked)).toEqual({ granted: [], revoked: [held(other)] });
  expect(await read(other)).toMatchObject({ status: 'running' });
});

describe('when the lease of an agent ran out', () => {
  const sweep = async () => {
    const metrics = { lost: { inc: () => {} } };
    const changes = new InstanceChangeNotifier(world.rpc);
    const lost = new LostInstanceService(world.store, world.rpc, changes, Object.assign(Object.create(null), metrics));
    await lost.sweep(15);
  };
  const expire = (at: Running) =>
    world.store.write(
      'UPDATE agent_session SET lease_until = UTC_TIMESTAMP(3) - INTERVAL 1 SECOND WHERE session_id = ?',
      [at.sessionID],
    );

  test('what ran has crashed, what was offered is queued again, what was to stop is stopped', async () => {
    const [ran, offered, stopping, alive] = [await running(), await claimed(), await running(), await running()];
    await control(stopping, stopping.work.instanceID, 'stop');
    for (const at of [ran, offered, stopping]) await expire(at);
    await Promise.all([sweep(), sweep()]);
    expect(await read(ran)).toMatchObject({ status: 'error' });
    expect(await read(offered)).toMatchObject({ status: 'queued' });
    expect(await read(stopping)).toMatchObject({ status: 'stopped' });
    expect(await read(alive)).toMatchObject({ status: 'running' });
    expect(await report(ran, 1)).toEqual({ accepted: false, seq: 1 });
  });

  test('what was claimed for a session that is closed is queued again, what it runs may be resumed', async () => {
    const [offered, ran] = [await claimed(), await running()];
    await world.store.write('UPDATE agent_session SET closed_at = UTC_TIMESTAMP(3) WHERE session_id IN (?)', [
      [offered.sessionID, ran.sessionID],
    ]);
    await sweep();
    expect(await read(offered)).toMatchObject({ status: 'queued' });
    expect(await read(ran)).toMatchObject({ status: 'running' });
  });

  test('a claim that nobody remembers is queued again', async () => {
    const at = await claimed();
    await world.store.write(
      'UPDATE instance SET claimed_at = UTC_TIMESTAMP(3) - INTERVAL 16 SECOND WHERE instance_id = ?',
      [at.work.instanceID],
    );
    await sweep();
    expect(await read(at)).toMatchObject({ status: 'queued' });
  });
});

test('an error empties the queue of an environment that is set so, with every credit back', async () => {
  const at = await running({ cancelQueue: true, credits: 10 });
  for (let n = 0; n < 3; n += 1) await world.rpc.call(execution.start, startRequest(at));
  expect(await creditsOf(world.store, at.companyID)).toEqual({ balance: 6, ledger: 6 });
  await report(at, 1, end('ERROR'));
  expect(await countOf(world.store, 'instance', "process_id = ? AND status = 'stopped'", [at.processID])).toBe(3);
  expect(await creditsOf(world.store, at.companyID)).toEqual({ balance: 9, ledger: 9 });
});

test('several errors at once empty the queue once', async () => {
  const [one, two] = [await running({ cancelQueue: true, credits: 10 }), await running()];
  const { environmentID, sessionID } = one;
  await world.store.write('UPDATE instance SET environment_id = ?, session_id = ? WHERE instance_id = ?', [
    environmentID,
    sessionID,
    two.work.instanceID,
  ]);
  const waits = startRequest(one);
  await world.rpc.call(execution.start, waits);
  const next = { sessionID: await connect(world.store, environmentID), previousSessionID: sessionID, held: [] };
  expect(await world.rpc.call(execution.adopt, next)).toEqual({ granted: [], revoked: [] });
  expect([await read(one), await read(two)]).toMatchObject([{ status: 'error' }, { status: 'error' }]);
  expect(await countOf(world.store, 'audit_event', "instance_id = ? AND action = 'end'", [waits.instanceID])).toBe(1);
  expect(await creditsOf(world.store, one.companyID)).toEqual({ balance: 9, ledger: 9 });
});

test('an error leaves the queue of other environments alone', async () => {
  const at = await running();
  await world.rpc.call(execution.start, startRequest(at));
  await report(at, 1, end('ERROR'));
  expect(await countOf(world.store, 'instance', "process_id = ? AND status = 'queued'", [at.processID])).toBe(1);
});

test('the vault values that the flow refers to come with the claim, and no others', async () => {
  const at = await queued();
  const flow = { start: 'a', steps: [{ name: 'a', type: 'rest', method: 'GET', url: 'http://x/{vault.TOKEN}' }] };
  await world.store.write('UPDATE process_version SET flow = ? WHERE process_id = ?', [
    JSON.stringify(flow),
    at.processID,
  ]);
  const ring = new KeyRing(world.env.SECRET_KEYS ?? '');
  for (const key of ['TOKEN', 'OTHER']) {
    const sealed = ring.seal(`value of ${key}`, `vault:${at.ownerID}:${key}`);
    await world.store.write('INSERT INTO vault_secret VALUES (?, ?, ?, UTC_TIMESTAMP(3))', [at.ownerID, key, sealed]);
  }
  expect((await claim(at)).work[0]?.vault).toEqual({ TOKEN: 'value of TOKEN' });
});
