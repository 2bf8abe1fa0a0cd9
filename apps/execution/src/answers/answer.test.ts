import { ABILITY_WEBHOOK_RESPONSE, type ReportFrame } from '@batuta/agent-protocol';
import { execution, notifications, type StartRequest } from '@batuta/contracts';
import { v7 as uuid } from 'uuid';
import { waitUntil } from '../../../../test/support/wait-until';
import { KeyRing } from '@batuta/secrets';
import { deleteSealedAnswers } from '../retention/retention.repository';
import { connectAgent, registerProcess, startRequest, startWorld, type ExecutionWorld } from '../../test/world';

let world: ExecutionWorld;
const receivedNotifications: { instanceID: string; state?: unknown }[] = [];
beforeAll(async () => {
  world = await startWorld(2);
  world.rpc.subscribe(notifications.answered, (notification) => receivedNotifications.push(notification));
});
afterAll(() => world?.close());

const RESPONDING_FLOW = '{"start":"a","steps":[{"name":"a","type":"webhookResponse","body":"{}"}]}';
const FINALIZED_END = { outcome: 'FINALIZED' as const, errorStep: null, errorMessage: null };
const FAILED_END = { outcome: 'ERROR' as const, errorStep: 'a', errorMessage: 'not supported' };

/** An instance that runs on an agent with these abilities; the function `report` sends its next report. */
async function createRunningInstance({
  abilities = [ABILITY_WEBHOOK_RESPONSE],
  awaited = true,
  flow = RESPONDING_FLOW,
  token,
  vault,
}: { abilities?: string[]; awaited?: boolean; flow?: string; token?: string; vault?: string } = {}) {
  const matrix = token === undefined ? [] : [{ name: 'token', type: 'Secreto' }];
  const at = await registerProcess(world.store, { flow, matrix });
  if (vault !== undefined) {
    const sealed = new KeyRing(world.env['SECRET_KEYS'] ?? '').seal(vault, `vault:${at.ownerID}:KEY`);
    await world.store.write("INSERT INTO vault_secret VALUES (?, 'KEY', ?, UTC_TIMESTAMP(3) - INTERVAL 1 HOUR)", [
      at.ownerID,
      sealed,
    ]);
  }
  const sessionID = await connectAgent(world.store, at.environmentID, 60, abilities);
  const request: StartRequest = { ...startRequest(at), ...(awaited && { awaited: true }), matrix: { token } };
  await world.rpc.call(execution.start, request);
  const { work } = await world.rpc.call(execution.claim, { environmentID: at.environmentID, sessionID, limit: 1 });
  const { instanceID } = request;
  await world.rpc.call(execution.grant, { instanceID, fence: 1, sessionID });
  const frame = { type: 'report' as const, instanceID, fence: 1, lines: [], sessionID };
  let seq = 0;
  const report = (content: Partial<ReportFrame>) => {
    seq += 1;
    return world.rpc.call(execution.report, { ...frame, seq, ...content });
  };
  return { instanceID, work: work[0], report, viewer: { accountID: at.ownerID } };
}

const stateOf = async (instanceID: string) =>
  (await world.rpc.call(execution.awaited, { instanceIDs: [instanceID] })).states[0];

test('the work of an agent says whether a caller waits for the answer', async () => {
  expect((await createRunningInstance()).work?.awaited).toBe(true);
  expect((await createRunningInstance({ awaited: false })).work).not.toHaveProperty('awaited');
});

test('an answer is stored before its notification, and the instance continues to run', async () => {
  const { instanceID, report, viewer } = await createRunningInstance();
  expect(await stateOf(instanceID)).toEqual({ instanceID, status: 'running', outcome: null });
  const body = '{ "ok": true }';
  await report({ response: { code: 201, body } });
  const answer = { valid: true, code: 201, body };
  const notification = { instanceID, state: { instanceID, status: 'running', outcome: null, answer } };
  await waitUntil('the notification', () => receivedNotifications.some((one) => one.instanceID === instanceID));
  expect(receivedNotifications.filter((one) => one.instanceID === instanceID)).toEqual([notification]);
  expect(await stateOf(instanceID)).toEqual(notification.state);

  await report({ response: { code: 500, body: '"second"' } });
  await report({ end: FINALIZED_END });
  expect(await stateOf(instanceID)).toEqual({ instanceID, status: 'success', outcome: 'FINALIZED', answer });
  expect(await world.rpc.call(execution.instance, { instanceID, viewer })).toMatchObject({
    status: 'success',
    response: { code: 201, body: { ok: true } },
  });
});

test.each([
  ['has a number beyond the range of a double', '{"total":1e400}'],
  ['has a number that would become 0', '{"total":1e-400}'],
  ['is nested too deeply to be serialized', `${'['.repeat(10_000)}${']'.repeat(10_000)}`],
])('an answer that %s reaches its caller unchanged and is shown as text', async (_, body) => {
  const { instanceID, report, viewer } = await createRunningInstance();
  await report({ response: { code: 200, body } });
  expect(await stateOf(instanceID)).toMatchObject({ answer: { valid: true, body } });
  expect(await world.rpc.call(execution.instance, { instanceID, viewer })).toMatchObject({ response: { body } });
});

test('an answer with a refused name that an earlier release stored is shown as text', async () => {
  const { instanceID, report, viewer } = await createRunningInstance();
  await report({ response: { code: 200, body: '{}' } });
  const body = String.raw`{"caf\\":1}`;
  await world.store.write('UPDATE instance_answer SET body = ? WHERE instance_id = ?', [body, instanceID]);
  expect(await world.rpc.call(execution.instance, { instanceID, viewer })).toMatchObject({ response: { body } });
});

test('an invalid answer is stored as invalid and shown to nobody', async () => {
  const { instanceID, report, viewer } = await createRunningInstance();
  await report({ response: { code: 302, body: '{}' } });
  expect(await stateOf(instanceID)).toMatchObject({ answer: { valid: false } });
  await report({ response: { code: 200, body: '{}' } });
  expect(await stateOf(instanceID)).toMatchObject({ answer: { valid: false } });
  expect(await world.rpc.call(execution.instance, { instanceID, viewer })).not.toHaveProperty('response');
});

test('a warning in the log of an instance names the fault of its answer', async () => {
  const { instanceID, report, viewer } = await createRunningInstance();
  const body = JSON.stringify('x'.repeat(262_144));
  expect(await report({ response: { code: 200, body } })).toMatchObject({ accepted: true });
  await report({ response: { code: 302, body: '{}' } });
  const { logs } = await world.rpc.call(execution.logs, { instanceID, viewer, limit: 10 });
  expect(logs).toMatchObject([
    { severity: 'WARNING', message: 'body: has 262146 bytes, above 262144: a caller gets 502 INVALID_RESPONSE' },
  ]);
});

test('an answer for which no caller waits is not stored and sends no notification', async () => {
  const { instanceID, report } = await createRunningInstance({ awaited: false });
  await report({ response: { code: 200, body: '{}' }, end: FINALIZED_END });
  expect(await stateOf(instanceID)).toEqual({ instanceID, status: 'success', outcome: 'FINALIZED' });
  const other = await createRunningInstance();
  await other.report({ end: FINALIZED_END });
  await waitUntil('the notification of the other instance', () =>
    receivedNotifications.some((one) => one.instanceID === other.instanceID),
  );
  expect(receivedNotifications.some((one) => one.instanceID === instanceID)).toBe(false);
});

test.each([
  ['is mute when the agent does not support the response step', { abilities: [] }, true],
  ['is not mute when the agent supports it', {}, undefined],
  ['is not mute when the flow has no response step', { abilities: [], flow: undefined }, undefined],
])('an instance that ended without an answer %s', async (_, options, mute) => {
  const { instanceID, report } = await createRunningInstance(
    'flow' in options ? { ...options, flow: '{"start":"a","steps":[]}' } : options,
  );
  await report({ end: FAILED_END });
  expect(await stateOf(instanceID)).toEqual({ instanceID, status: 'error', outcome: 'ERROR', ...(mute && { mute }) });
});

test('a large answer does not travel with its notification, and many large answers do not travel in one reply', async () => {
  const body = JSON.stringify('x'.repeat(262_142));
  const all = await Promise.all(Array.from({ length: 20 }, () => createRunningInstance()));
  await Promise.all(all.map(({ report }) => report({ response: { code: 200, body } })));
  const instanceIDs = all.map(({ instanceID }) => instanceID);
  await waitUntil('the notifications', () =>
    instanceIDs.every((id) => receivedNotifications.some(({ instanceID }) => instanceID === id)),
  );
  expect(
    receivedNotifications.filter(({ instanceID }) => instanceIDs.includes(instanceID)).every(({ state }) => !state),
  ).toBe(true);
  const first = (await world.rpc.call(execution.awaited, { instanceIDs })).states.map(({ instanceID }) => instanceID);
  expect(first.length).toBeGreaterThan(0);
  expect(first.length).toBeLessThan(20);
  const left = instanceIDs.filter((id) => !first.includes(id));
  const second = await world.rpc.call(execution.awaited, { instanceIDs: left });
  expect(second.states.map(({ instanceID }) => instanceID).toSorted()).toEqual(left.toSorted());
});

test('answers that take twice their bytes in JSON fit into one reply', async () => {
  const at = await registerProcess(world.store, { credits: 200 });
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

describe('secrets', () => {
  const body = '{"token": "tok-s3cret", "key": "vault-s3cret", "salary": 98765}';
  const masked = '{"token": "•••", "key": "•••", "salary": "•••"}';
  const answer = { valid: true, code: 200, body };
  const shown = { response: { code: 200, body: { token: '•••', key: '•••', salary: '•••' } } };
  const flow = JSON.stringify({
    start: 'a',
    steps: [{ name: 'a', type: 'webhookResponse', body: '{"token": {{matrix.token}}, "key": "{{vault.KEY}}"}' }],
  });
  const secretInstance = () => createRunningInstance({ token: 'tok-s3cret', vault: 'vault-s3cret', flow });
  const kept = (instanceID: string) =>
    world.store.row<{ sealed: Buffer | null }>(
      `SELECT a.body, s.masked, s.sealed FROM instance_answer a JOIN instance_secret_answer s
         ON s.instance_id = a.instance_id WHERE a.instance_id = ?`,
      [instanceID],
    );

  test('an answer with a secret goes unmasked to the waiting caller, and is stored and shown masked, also while the caller waits', async () => {
    const { instanceID, report, viewer } = await secretInstance();
    await report({ response: { code: 200, body, masked } });
    expect(await stateOf(instanceID)).toMatchObject({ answer });
    await waitUntil('the notification', () => receivedNotifications.some((one) => one.instanceID === instanceID));
    expect(receivedNotifications.find((one) => one.instanceID === instanceID)).toMatchObject({ state: { answer } });
    expect(await world.rpc.call(execution.instance, { instanceID, viewer })).toMatchObject(shown);
    const news = await world.rpc.call(execution.news, { instanceID, viewer, after: 0, limit: 10 });
    expect(news.body).toMatchObject(shown);
    await report({ end: FINALIZED_END });
    expect(await world.rpc.call(execution.instance, { instanceID, viewer })).toMatchObject(shown);
    expect(await stateOf(instanceID)).toMatchObject({ outcome: 'FINALIZED', answer });
    const row = await kept(instanceID);
    expect(row).toMatchObject({ body: null, masked });
    expect(row?.sealed?.includes('s3cret')).toBe(false);
  });

  test('an answer with a secret is masked by the secrets that the service knows when the agent sends no masked copy or misses a secret', async () => {
    for (const copy of [{}, { masked: null }, { masked: body }]) {
      const { instanceID, report, viewer } = await secretInstance();
      await report({ response: { code: 200, body, ...copy } });
      expect(await stateOf(instanceID)).toMatchObject({ answer });
      expect(await world.rpc.call(execution.instance, { instanceID, viewer })).toMatchObject({
        response: { code: 200, body: { token: '•••', key: '•••', salary: 98765 } },
      });
    }
  });

  test('an answer with a secret is not shown at all when an agent that masks nothing runs a flow with sensitive rows', async () => {
    const rows = [{ name: 'salary', mode: 'Fixo', value: '1', sensitive: true }];
    const steps = [{ name: 'a', type: 'webhookResponse', body: '{{salary}}', rows }];
    const { instanceID, report, viewer } = await createRunningInstance({ flow: JSON.stringify({ start: 'a', steps }) });
    await report({ response: { code: 200, body: '{"salary": 1}' } });
    expect(await world.rpc.call(execution.instance, { instanceID, viewer })).toMatchObject({
      response: { code: 200, body: '•••' },
    });
    expect(await stateOf(instanceID)).toMatchObject({ answer: { body: '{"salary": 1}' } });
  });

  test.each([
    ['replaced', 'UPDATE vault_secret SET sealed = ?, updated_at = UTC_TIMESTAMP(3) WHERE account_id = ?'],
    ['removed', 'DELETE FROM vault_secret WHERE ? IS NOT NULL AND account_id = ?'],
  ])(
    'an answer with a vault value that was %s since the claim is not shown at all when the agent masks nothing',
    async (_, sql) => {
      const { instanceID, report, viewer } = await secretInstance();
      const sealed = new KeyRing(world.env['SECRET_KEYS'] ?? '').seal('other', `vault:${viewer.accountID}:KEY`);
      await world.store.write(sql, [sealed, viewer.accountID]);
      await report({ response: { code: 200, body } });
      expect(await stateOf(instanceID)).toMatchObject({ answer });
      expect(await world.rpc.call(execution.instance, { instanceID, viewer })).toMatchObject({
        response: { code: 200, body: '•••' },
      });
    },
  );

  test('an answer with a secret is masked also by a replica that has not read the flow, however large it is', async () => {
    const sensitive = [{ name: 'salary', mode: 'Fixo', value: '1', sensitive: true }];
    const steps = [{ name: 'a', type: 'webhookResponse', body: '{{salary}}', rows: sensitive }];
    const large = (text: string) => text + ' '.repeat(65_536);
    const known = await createRunningInstance({ token: 'tok-s3cret', vault: 'vault-s3cret', flow: large(flow) });
    const unknown = await createRunningInstance({ flow: large(JSON.stringify({ start: 'a', steps })) });
    for (const { instanceID, report } of [known, unknown]) {
      // A copy of the version, which no replica has read.
      const versionID = uuid();
      await world.store.write(
        `INSERT INTO process_version
           SELECT ?, v.process_id, v.version + 1, v.flow, v.mappings, v.published_by, v.published_at, v.needs
             FROM process_version v JOIN instance i USING (version_id) WHERE i.instance_id = ?`,
        [versionID, instanceID],
      );
      await world.store.write('UPDATE instance SET version_id = ? WHERE instance_id = ?', [versionID, instanceID]);
      await report({ response: { code: 200, body } });
    }
    const shownOf = ({ instanceID, viewer }: typeof known) =>
      world.rpc.call(execution.instance, { instanceID, viewer });
    const found = { token: '•••', key: '•••', salary: 98765 };
    expect(await shownOf(known)).toMatchObject({ response: { code: 200, body: found } });
    expect(await shownOf(unknown)).toMatchObject({ response: { code: 200, body: '•••' } });
  });

  test('an answer with a secret loses its sealed body once no caller can still wait for it, and keeps the masked copy', async () => {
    const [old, young] = [await secretInstance(), await secretInstance()];
    for (const { report } of [old, young]) await report({ response: { code: 200, body, masked }, end: FINALIZED_END });
    await world.store.write(
      'UPDATE instance_secret_answer SET sealed_at = sealed_at - INTERVAL 11 MINUTE WHERE instance_id = ?',
      [old.instanceID],
    );
    expect(await deleteSealedAnswers(world.store)).toEqual({ rows: 1, behindSeconds: 0 });
    expect(await kept(old.instanceID)).toMatchObject({ masked, sealed: null });
    expect(await stateOf(young.instanceID)).toMatchObject({ answer });
    const { instanceID, viewer } = old;
    expect(await world.rpc.call(execution.instance, { instanceID, viewer })).toMatchObject(shown);
  });

  test('an answer with a secret counts toward the size limit of a reply', async () => {
    const large = `["tok-s3cret", "${'x'.repeat(200_000)}"]`;
    const { instanceID, report } = await secretInstance();
    await report({ response: { code: 200, body: large, masked: '["•••"]' } });
    expect(await stateOf(instanceID)).toMatchObject({ answer: { body: large } });
  });
});
