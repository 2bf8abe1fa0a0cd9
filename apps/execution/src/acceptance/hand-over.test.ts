import { execution, notifications } from '@batuta/contracts';
import { KeyRing } from '@batuta/secrets';
import { randomBytes } from 'node:crypto';
import {
  claim,
  createProcessWithAgent,
  idsOf,
  startPendingClaim,
  countPolls,
  countQueuedIn,
  start,
} from '../../test/claims';
import { startRequest, startWorld, type ExecutionWorld } from '../../test/world';

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const stateOf = (instanceID: string) =>
  world.store.row('SELECT status, fence, session_id FROM instance WHERE instance_id = ?', [instanceID]);

const FLOW_WITH_VAULT =
  '{"start":"a","steps":[{"name":"a","type":"rest","method":"GET","url":"http://x/{vault.TOKEN}"}]}';

const sealToken = (ownerID: string, keys = new KeyRing(world.env['SECRET_KEYS'] ?? '')) =>
  keys.seal('s3cret', `vault:${ownerID}:TOKEN`);

async function storeToken(ownerID: string, sealed: Buffer): Promise<void> {
  await world.store.write('INSERT INTO vault_secret VALUES (?, ?, ?, UTC_TIMESTAMP(3))', [ownerID, 'TOKEN', sealed]);
}

describe('hand-over', () => {
  test('a start while a claim waits is accepted and claimed in one transaction, and goes directly to the claim', async () => {
    const at = await createProcessWithAgent(world, { matrix: [{ name: 'total', type: 'Moeda' }] });
    const { reply } = await startPendingClaim(world, at);
    const pollsBefore = countPolls(at);
    const request = startRequest(at, { matrix: { total: '1,50' } });
    expect(await start(world, request)).toEqual({ instanceID: request.instanceID, status: 'started' });
    const [work] = await reply;
    expect(countPolls(at)).toBe(pollsBefore);
    expect(work).toMatchObject({ instanceID: request.instanceID, fence: 1, userName: 'erp', version: '1' });
    expect(work?.matrix).toEqual([{ name: 'total', type: 'Moeda', value: 1.5 }]);
    expect(await stateOf(request.instanceID)).toEqual({ status: 'unknown', fence: 1, session_id: at.sessionID });
    const held = { instanceID: request.instanceID, fence: 1, sessionID: at.sessionID };
    expect(await world.rpc.call(execution.grant, held)).toEqual({ granted: true, desired: 'run' });
  });

  test('a start while a claim waits arrives with the vault values that its flow refers to', async () => {
    const at = await createProcessWithAgent(world, { flow: FLOW_WITH_VAULT });
    await storeToken(at.ownerID, sealToken(at.ownerID));
    const { reply } = await startPendingClaim(world, at);
    await start(world, startRequest(at));
    expect((await reply)[0]?.vault).toEqual({ TOKEN: 's3cret' });
  });

  test('a start while a claim waits is queued when its vault values cannot be unsealed, and does not fail the other starts of its batch', async () => {
    const [readable, unreadable] = [
      await createProcessWithAgent(world),
      await createProcessWithAgent(world, { flow: FLOW_WITH_VAULT }),
    ];
    const otherKeys = new KeyRing(`k9:${randomBytes(32).toString('base64')}`);
    await storeToken(unreadable.ownerID, sealToken(unreadable.ownerID, otherKeys));
    const [first, second] = [await startPendingClaim(world, readable), await startPendingClaim(world, unreadable)];
    const requests = Array.from({ length: 6 }, (_, index) => startRequest(index % 2 === 0 ? readable : unreadable));
    const replies = await Promise.all(
      requests.map((request) => start(world, request).then(({ status }) => status, String)),
    );
    expect(replies).toEqual(requests.map(() => 'started'));
    expect(await countQueuedIn(world, unreadable)).toBe(3);
    expect(idsOf(requests)).toEqual(expect.arrayContaining(idsOf(await first.reply)));
    // Once the values can be unsealed, the claim that still waits gets the three queued starts at its next poll of the queue.
    await world.store.write('UPDATE vault_secret SET sealed = ? WHERE account_id = ?', [
      sealToken(unreadable.ownerID),
      unreadable.ownerID,
    ]);
    world.rpc.notify(notifications.work, { environmentID: unreadable.environmentID });
    // A poll that read the queue before the last start was accepted delivers only the earlier starts.
    const work = await second.reply;
    while (work.length < 3) work.push(...(await claim(world, unreadable)));
    expect(work.map(({ vault }) => vault)).toEqual(Array.from({ length: 3 }, () => ({ TOKEN: 's3cret' })));
  });

  test('a start while a claim waits is queued when the claim has reached its limit, and goes to the next claim', async () => {
    const at = await createProcessWithAgent(world);
    const { reply } = await startPendingClaim(world, at, 2);
    const requests = Array.from({ length: 6 }, () => startRequest(at));
    await Promise.all(requests.map((request) => start(world, request)));
    const first = await reply;
    expect(first.length).toBeGreaterThan(0);
    expect(first.length).toBeLessThanOrEqual(2);
    const next = await startPendingClaim(world, at, 10);
    const rest = await next.reply;
    expect(idsOf([...first, ...rest]).toSorted()).toEqual(idsOf(requests).toSorted());
  });

  test('a start while a claim waits leaves the claim waiting when it is refused', async () => {
    const at = await createProcessWithAgent(world);
    const { reply } = await startPendingClaim(world, at);
    const refused = startRequest(at, { matrix: { none: 1 } });
    await expect(start(world, refused)).rejects.toMatchObject({ code: 'INVALID_MATRIX' });
    const accepted = startRequest(at);
    await start(world, accepted);
    expect(idsOf(await reply)).toEqual([accepted.instanceID]);
  });

  test('a start while a claim waits goes to the claim once when it is sent twice at the same time', async () => {
    const at = await createProcessWithAgent(world);
    const { reply } = await startPendingClaim(world, at);
    const request = startRequest(at);
    await Promise.all([start(world, request), start(world, { ...request, resent: true })]);
    expect(await reply).toHaveLength(1);
    expect(await countQueuedIn(world, at)).toBe(0);
  });

  test('a start while a claim waits is queued when no agent is connected to its environment', async () => {
    const at = await createProcessWithAgent(world);
    await world.store.write('UPDATE agent_session SET closed_at = UTC_TIMESTAMP(3) WHERE session_id = ?', [
      at.sessionID,
    ]);
    const { reply } = await startPendingClaim(world, at);
    const request = startRequest(at);
    expect(await start(world, request)).toMatchObject({ status: 'queued' });
    // The session is closed, so the start is queued; the open claim finds the instance when it polls the queue.
    expect(idsOf(await reply)).toEqual([request.instanceID]);
  });
});

test('a claim that follows a full reply polls again and needs no notification', async () => {
  const at = await createProcessWithAgent(world, { matrix: [{ name: 'text', type: 'Texto' }] });
  const matrix = { text: 'x'.repeat(900_000) };
  for (let n = 0; n < 6; n += 1) await start(world, startRequest(at, { matrix }));
  expect(await claim(world, at, 50)).toHaveLength(4);
  expect(await claim(world, at, 50)).toHaveLength(2);
});
