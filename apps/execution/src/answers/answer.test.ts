import { ABILITY_WEBHOOK_RESPONSE, type ReportFrame } from '@batuta/agent-protocol';
import { execution, notifications, type StartRequest } from '@batuta/contracts';
import { waitUntil } from '../../../../test/support/wait-until';
import { connect, register, startRequest, startWorld, type World } from '../../test/world';

let world: World;
const notified: { instanceID: string; state?: unknown }[] = [];
beforeAll(async () => {
  world = await startWorld(2);
  world.rpc.subscribe(notifications.answered, (notification) => notified.push(notification));
});
afterAll(() => world?.close());

const RESPONDING = '{"start":"a","steps":[{"name":"a","type":"webhookResponse","body":"{}"}]}';
const FINALIZED = { outcome: 'FINALIZED' as const, errorStep: null, errorMessage: null };
const FAILED = { outcome: 'ERROR' as const, errorStep: 'a', errorMessage: 'not supported' };

/** An instance that runs on an agent with the given abilities; `report` sends its next report. */
async function runningInstance({
  abilities = [ABILITY_WEBHOOK_RESPONSE],
  awaited = true,
  flow = RESPONDING,
}: { abilities?: string[]; awaited?: boolean; flow?: string } = {}) {
  const at = await register(world.store, { flow });
  const sessionID = await connect(world.store, at.environmentID, 60, abilities);
  const request: StartRequest = { ...startRequest(at), ...(awaited && { awaited: true }) };
  await world.rpc.call(execution.start, request);
  const { work } = await world.rpc.call(execution.claim, { environmentID: at.environmentID, sessionID, limit: 1 });
  const { instanceID } = request;
  await world.rpc.call(execution.grant, { instanceID, fence: 1, sessionID });
  let seq = 0;
  const report = (content: Partial<ReportFrame>) => {
    seq += 1;
    return world.rpc.call(execution.report, {
      type: 'report',
      instanceID,
      fence: 1,
      seq,
      lines: [],
      sessionID,
      ...content,
    });
  };
  return { instanceID, work: work[0], report, viewer: { accountID: at.ownerID } };
}

const stateOf = async (instanceID: string) =>
  (await world.rpc.call(execution.awaited, { instanceIDs: [instanceID] })).states[0];

test('the work of an agent says whether a caller waits for the answer', async () => {
  expect((await runningInstance()).work?.awaited).toBe(true);
  expect((await runningInstance({ awaited: false })).work).not.toHaveProperty('awaited');
});

test('an answer is stored before its notification, and the instance continues to run', async () => {
  const { instanceID, report, viewer } = await runningInstance();
  expect(await stateOf(instanceID)).toEqual({ instanceID, status: 'running', outcome: null });
  const body = '{ "ok": true }';
  await report({ response: { code: 201, body } });
  const answer = { valid: true, code: 201, body };
  const notification = { instanceID, state: { instanceID, status: 'running', outcome: null, answer } };
  await waitUntil('the notification', () => notified.some((one) => one.instanceID === instanceID));
  expect(notified.filter((one) => one.instanceID === instanceID)).toEqual([notification]);
  expect(await stateOf(instanceID)).toEqual(notification.state);

  await report({ response: { code: 500, body: '"second"' } });
  await report({ end: FINALIZED });
  expect(await stateOf(instanceID)).toEqual({ instanceID, status: 'success', outcome: 'FINALIZED', answer });
  expect(await world.rpc.call(execution.instance, { instanceID, viewer })).toMatchObject({
    status: 'success',
    response: { code: 201, body: { ok: true } },
  });
});

test('an answer that is not valid is stored as such and shown to nobody', async () => {
  const { instanceID, report, viewer } = await runningInstance();
  await report({ response: { code: 302, body: '{}' } });
  expect(await stateOf(instanceID)).toMatchObject({ answer: { valid: false } });
  await report({ response: { code: 200, body: '{}' } });
  expect(await stateOf(instanceID)).toMatchObject({ answer: { valid: false } });
  expect(await world.rpc.call(execution.instance, { instanceID, viewer })).not.toHaveProperty('response');
});

test('an answer for which no caller waits is neither stored nor notified', async () => {
  const { instanceID, report } = await runningInstance({ awaited: false });
  await report({ response: { code: 200, body: '{}' }, end: FINALIZED });
  expect(await stateOf(instanceID)).toEqual({ instanceID, status: 'success', outcome: 'FINALIZED' });
  const other = await runningInstance();
  await other.report({ end: FINALIZED });
  await waitUntil('the notification of the other instance', () =>
    notified.some((one) => one.instanceID === other.instanceID),
  );
  expect(notified.some((one) => one.instanceID === instanceID)).toBe(false);
});

test.each([
  ['is mute when the agent does not support the response step', { abilities: [] }, true],
  ['is not mute when the agent supports it', {}, undefined],
  ['is not mute when the flow has no response step', { abilities: [], flow: undefined }, undefined],
])('an instance that ended without an answer %s', async (_, options, mute) => {
  const { instanceID, report } = await runningInstance(
    'flow' in options ? { ...options, flow: '{"start":"a","steps":[]}' } : options,
  );
  await report({ end: FAILED });
  expect(await stateOf(instanceID)).toEqual({ instanceID, status: 'error', outcome: 'ERROR', ...(mute && { mute }) });
});

test('a large answer does not travel with its notification, and many large answers do not travel in one reply', async () => {
  const body = JSON.stringify('x'.repeat(262_142));
  const all = await Promise.all(Array.from({ length: 20 }, () => runningInstance()));
  await Promise.all(all.map(({ report }) => report({ response: { code: 200, body } })));
  const instanceIDs = all.map(({ instanceID }) => instanceID);
  await waitUntil('the notifications', () =>
    instanceIDs.every((id) => notified.some(({ instanceID }) => instanceID === id)),
  );
  expect(notified.filter(({ instanceID }) => instanceIDs.includes(instanceID)).every(({ state }) => !state)).toBe(true);
  const first = (await world.rpc.call(execution.awaited, { instanceIDs })).states.map(({ instanceID }) => instanceID);
  expect(first.length).toBeGreaterThan(0);
  expect(first.length).toBeLessThan(20);
  const left = instanceIDs.filter((id) => !first.includes(id));
  const second = await world.rpc.call(execution.awaited, { instanceIDs: left });
  expect(second.states.map(({ instanceID }) => instanceID).toSorted()).toEqual(left.toSorted());
});

test('an answer that is nested too deeply to be serialized is shown as its text', async () => {
  const { instanceID, report, viewer } = await runningInstance();
  const body = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
  await report({ response: { code: 200, body } });
  expect(await world.rpc.call(execution.instance, { instanceID, viewer })).toMatchObject({
    response: { code: 200, body },
  });
});

test('answers that JSON writes in twice their bytes fit into one reply', async () => {
  const at = await register(world.store, { credits: 200 });
  const starts = Array.from({ length: 200 }, () =>
    world.rpc.call(execution.start, { ...startRequest(at), awaited: true }),
  );
  const instanceIDs = (await Promise.all(starts)).map(({ instanceID }) => instanceID);
  await world.store.write(
    `INSERT INTO instance_answer (instance_id, valid, code, body, recorded_at)
       SELECT instance_id, 1, 200, ?, UTC_TIMESTAMP(3) FROM instance WHERE instance_id IN (?)`,
    [JSON.stringify('\\'.repeat(10_480)), instanceIDs],
  );
  const { states } = await world.rpc.call(execution.awaited, { instanceIDs });
  expect(states.length).toBeGreaterThan(100);
});
