import {
  ABILITY_WEBHOOK_RESPONSE,
  execution,
  notifications,
  type ReportFrame,
  type StartRequest,
} from '@batuta/contracts';
import { waitUntil } from '../../../../test/support/wait-until';
import { connect, register, startRequest, startWorld, type World } from '../../test/world';

let world: World;
const heard: { instanceID: string; state?: unknown }[] = [];
beforeAll(async () => {
  world = await startWorld(2);
  world.rpc.subscribe(notifications.answered, (hint) => heard.push(hint));
});
afterAll(() => world?.close());

const RESPONDING = '{"start":"a","steps":[{"name":"a","type":"webhookResponse","body":"{}"}]}';
const FINALIZED = { outcome: 'FINALIZED' as const, errorStep: null, errorMessage: null };
const FAILED = { outcome: 'ERROR' as const, errorStep: 'a', errorMessage: 'not supported' };

/** An instance that runs on an agent with these abilities; `report` sends its reports, one after the other. */
async function running({
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
  const report = (what: Partial<ReportFrame>) => {
    seq += 1;
    return world.rpc.call(execution.report, {
      type: 'report',
      instanceID,
      fence: 1,
      seq,
      lines: [],
      sessionID,
      ...what,
    });
  };
  return { instanceID, work: work[0], report, viewer: { accountID: at.ownerID } };
}

const stateOf = async (instanceID: string) =>
  (await world.rpc.call(execution.awaited, { instanceIDs: [instanceID] })).states[0];

test('the agent is told that somebody waits', async () => {
  expect((await running()).work?.awaited).toBe(true);
  expect((await running({ awaited: false })).work).not.toHaveProperty('awaited');
});

test('an answer is stored before its caller is woken, and the run goes on', async () => {
  const { instanceID, report, viewer } = await running();
  expect(await stateOf(instanceID)).toEqual({ instanceID, status: 'running', outcome: null });
  const body = '{ "ok": true }';
  await report({ response: { code: 201, body } });
  const answer = { valid: true, code: 201, body };
  const hint = { instanceID, state: { instanceID, status: 'running', outcome: null, answer } };
  await waitUntil('the hint', () => heard.some((one) => one.instanceID === instanceID));
  expect(heard.filter((one) => one.instanceID === instanceID)).toEqual([hint]);
  expect(await stateOf(instanceID)).toEqual(hint.state);

  await report({ response: { code: 500, body: '"second"' } });
  await report({ end: FINALIZED });
  expect(await stateOf(instanceID)).toEqual({ instanceID, status: 'success', outcome: 'FINALIZED', answer });
  expect(await world.rpc.call(execution.instance, { instanceID, viewer })).toMatchObject({
    status: 'success',
    response: { code: 201, body: { ok: true } },
  });
});

test('what is no answer is stored as such, and shown to nobody', async () => {
  const { instanceID, report, viewer } = await running();
  await report({ response: { code: 302, body: '{}' } });
  expect(await stateOf(instanceID)).toMatchObject({ answer: { valid: false } });
  await report({ response: { code: 200, body: '{}' } });
  expect(await stateOf(instanceID)).toMatchObject({ answer: { valid: false } });
  expect(await world.rpc.call(execution.instance, { instanceID, viewer })).not.toHaveProperty('response');
});

test('where nobody waits nothing is stored or told', async () => {
  const { instanceID, report } = await running({ awaited: false });
  await report({ response: { code: 200, body: '{}' }, end: FINALIZED });
  expect(await stateOf(instanceID)).toEqual({ instanceID, status: 'success', outcome: 'FINALIZED' });
  const other = await running();
  await other.report({ end: FINALIZED });
  await waitUntil('the other’s hint', () => heard.some((one) => one.instanceID === other.instanceID));
  expect(heard.some((one) => one.instanceID === instanceID)).toBe(false);
});

test.each([
  ['of an agent that does not know the step holds its caller', { abilities: [] }, true],
  ['of an agent that knows it does not', {}, undefined],
  ['of a flow without the step does not', { abilities: [], flow: undefined }, undefined],
])('an end without an answer %s', async (_, options, mute) => {
  const { instanceID, report } = await running(
    'flow' in options ? { ...options, flow: '{"start":"a","steps":[]}' } : options,
  );
  await report({ end: FAILED });
  expect(await stateOf(instanceID)).toEqual({ instanceID, status: 'error', outcome: 'ERROR', ...(mute && { mute }) });
});

test('a large answer is not sent with its hint, and many large ones not in one reply', async () => {
  const body = JSON.stringify('x'.repeat(262_142));
  const all = await Promise.all(Array.from({ length: 20 }, () => running()));
  await Promise.all(all.map(({ report }) => report({ response: { code: 200, body } })));
  const instanceIDs = all.map(({ instanceID }) => instanceID);
  await waitUntil('the hints', () => instanceIDs.every((id) => heard.some(({ instanceID }) => instanceID === id)));
  expect(heard.filter(({ instanceID }) => instanceIDs.includes(instanceID)).every(({ state }) => !state)).toBe(true);
  const first = (await world.rpc.call(execution.awaited, { instanceIDs })).states.map(({ instanceID }) => instanceID);
  expect(first.length).toBeGreaterThan(0);
  expect(first.length).toBeLessThan(20);
  const left = instanceIDs.filter((id) => !first.includes(id));
  const second = await world.rpc.call(execution.awaited, { instanceIDs: left });
  expect(second.states.map(({ instanceID }) => instanceID).toSorted()).toEqual(left.toSorted());
});

test('an answer that is nested too deeply to be written again is shown as its text', async () => {
  const { instanceID, report, viewer } = await running();
  const body = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
  await report({ response: { code: 200, body } });
  expect(await world.rpc.call(execution.instance, { instanceID, viewer })).toMatchObject({
    response: { code: 200, body },
  });
});
