import { execution } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { createLogger } from '@batuta/observability';
import { v7 as uuid } from 'uuid';
import { waitUntil } from '../../../../test/support/wait-until';
import {
  createClaimedInstance,
  followChanges,
  requestControl,
  heldInstanceOf,
  readInstance,
  requestGrant,
  sendReport,
  createRunningInstance,
  type ClaimedInstance,
} from '../../test/instances';
import { isInProgress } from '../../test/statements';
import { connectAgent, countOf, creditsOf, startRequest, startWorld, type ExecutionWorld } from '../../test/world';
import { InstanceChangeNotifier } from '../instances/instance-change-notifier';
import { AdoptionService } from './adoption.service';
import { LostInstanceService } from './lost-instance.service';

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld(2);
});
afterAll(() => world?.close());

describe('adoption', () => {
  test('an adoption grants the instances that the agent holds, also an offer that was not granted yet, and ends or requeues the others', async () => {
    const [ran, accepted] = [await createRunningInstance(world), await createClaimedInstance(world)];
    const [ranUnheld, offeredUnheld] = [await createRunningInstance(world), await createClaimedInstance(world)];
    const sessionID = await connectAgent(world.store, ran.environmentID);
    await world.store.write('UPDATE instance SET environment_id = ?, session_id = ? WHERE instance_id IN (?)', [
      ran.environmentID,
      ran.sessionID,
      [accepted, ranUnheld, offeredUnheld].map(({ work }) => work.instanceID),
    ]);
    const stranger = { instanceID: uuid(), fence: 1 };
    const reply = await world.rpc.call(execution.adopt, {
      sessionID,
      previousSessionID: ran.sessionID,
      held: [heldInstanceOf(ran), heldInstanceOf(accepted), stranger],
    });
    expect(reply.granted.toSorted((a, b) => (a.instanceID < b.instanceID ? -1 : 1))).toEqual(
      [ran, accepted]
        .map((one) => ({ ...heldInstanceOf(one), desired: 'run', requestID: one.work.requestID }))
        .toSorted((a, b) => (a.instanceID < b.instanceID ? -1 : 1)),
    );
    expect(reply.revoked).toEqual([stranger]);
    expect(await readInstance(world, accepted)).toMatchObject({ status: 'running' });
    expect(await readInstance(world, ranUnheld)).toMatchObject({
      status: 'error',
      errorMessage: expect.stringContaining('lost'),
    });
    expect(await readInstance(world, offeredUnheld)).toMatchObject({ status: 'queued' });
  });

  test('an adoption is notified to the followers of the instances that it starts, requeues or ends', async () => {
    const { changed, stop } = followChanges(world);
    const [ran, accepted] = [await createRunningInstance(world), await createClaimedInstance(world)];
    const [ranUnheld, offeredUnheld] = [await createRunningInstance(world), await createClaimedInstance(world)];
    const others = [accepted, ranUnheld, offeredUnheld].map(({ work }) => work.instanceID);
    await world.store.write('UPDATE instance SET environment_id = ?, session_id = ? WHERE instance_id IN (?)', [
      ran.environmentID,
      ran.sessionID,
      others,
    ]);
    const grants = [ran, ranUnheld].map(({ work }) => work.instanceID);
    await waitUntil('the grants are notified', () => grants.every((id) => changed.has(id)));
    changed.clear();
    const sessionID = await connectAgent(world.store, ran.environmentID);
    const held = [heldInstanceOf(ran), heldInstanceOf(accepted)];
    await world.rpc.call(execution.adopt, { sessionID, previousSessionID: ran.sessionID, held });
    await waitUntil('the adoption is notified', () => changed.size >= others.length);
    expect([...changed].toSorted()).toEqual(others.toSorted());
    stop();
  });

  test('an adoption whose session ended while it waited for an instance is refused and changes nothing', async () => {
    const ran = await createRunningInstance(world);
    const sessionID = await connectAgent(world.store, ran.environmentID);
    const request = { sessionID, previousSessionID: ran.sessionID, held: [heldInstanceOf(ran)] };
    const { reply } = await world.store.transaction(async (tx) => {
      await tx.rows('SELECT fence FROM instance WHERE instance_id = ? FOR UPDATE', [ran.work.instanceID]);
      const adoption = world.rpc.call(execution.adopt, request).catch((error: unknown) => error);
      await waitUntil('the adoption waits for the instance', isInProgress(tx, 'ORDER BY instance_id FOR UPDATE'));
      await world.store.write('UPDATE agent_session SET closed_at = UTC_TIMESTAMP(3) WHERE session_id = ?', [
        sessionID,
      ]);
      return { reply: adoption };
    });
    expect(await reply).toMatchObject({ code: 'CONFLICT' });
    expect(await countOf(world.store, 'instance', 'session_id = ?', [ran.sessionID])).toBe(1);
  });

  test('an adoption by a session that has ended is refused and changes nothing', async () => {
    const ran = await createRunningInstance(world);
    const sessionID = await connectAgent(world.store, ran.environmentID);
    await world.store.write('UPDATE agent_session SET closed_at = UTC_TIMESTAMP(3) WHERE session_id = ?', [sessionID]);
    const request = { sessionID, previousSessionID: ran.sessionID, held: [heldInstanceOf(ran)] };
    await expect(world.rpc.call(execution.adopt, request)).rejects.toThrow('is over');
    expect(await sendReport(world, ran, 1)).toEqual({ accepted: true, seq: 1 });
  });

  test('an adoption writes the instances of its agent with one statement, however many they are', async () => {
    const statementsFor = async (count: number) => {
      const [first, ...others] = await Promise.all(Array.from({ length: count }, () => createRunningInstance(world)));
      if (!first) throw new Error('no instance');
      const { environmentID, sessionID: previousSessionID } = first;
      await world.store.write('UPDATE instance SET environment_id = ?, session_id = ? WHERE instance_id IN (?)', [
        environmentID,
        previousSessionID,
        [first, ...others].map(({ work }) => work.instanceID),
      ]);
      const sessionID = await connectAgent(world.store, environmentID);
      const statements: string[] = [];
      const recording = (tx: Store): Store =>
        Object.assign(Object.create(tx), {
          write: (...statement: Parameters<Store['write']>) => tx.write(...noted(statement)),
          atCommit: (...statement: Parameters<Store['atCommit']>) => tx.atCommit(...noted(statement)),
        });
      const noted = <Statement extends [string, ...unknown[]]>(statement: Statement): Statement => {
        statements.push(statement[0]);
        return statement;
      };
      const store: Store = Object.assign(Object.create(world.store), {
        transaction: (work: (tx: Store) => Promise<unknown>) => world.store.transaction((tx) => work(recording(tx))),
      });
      const service = new AdoptionService(store, world.rpc, new InstanceChangeNotifier(world.rpc));
      const held = [first, ...others].map(heldInstanceOf);
      expect((await service.adopt(sessionID, previousSessionID, held)).granted).toHaveLength(count);
      return statements.length;
    };
    expect([await statementsFor(1), await statementsFor(4)]).toEqual([1, 1]);
  });

  test('an adoption that is late takes no instance from a session that its agent opened after it, and a later one does', async () => {
    const ran = await createRunningInstance(world);
    const [first = '', second = '', third = ''] = await Promise.all(
      [3, 2, 1].map(async (seconds) => {
        const id = await connectAgent(world.store, ran.environmentID);
        await world.store.write(
          'UPDATE agent_session SET connected_at = connected_at - INTERVAL ? SECOND WHERE session_id = ?',
          [seconds, id],
        );
        return id;
      }),
    );
    const adopt = (sessionID: string) =>
      world.rpc.call(execution.adopt, { sessionID, previousSessionID: ran.sessionID, held: [heldInstanceOf(ran)] });
    expect(await adopt(second)).toMatchObject({ granted: [heldInstanceOf(ran)], revoked: [] });
    expect(await adopt(first)).toEqual({ granted: [], revoked: [heldInstanceOf(ran)] });
    expect(await countOf(world.store, 'instance', 'session_id = ?', [second])).toBe(1);
    expect(await adopt(third)).toMatchObject({ granted: [heldInstanceOf(ran)], revoked: [] });
  });

  test('an adoption grants no instance of another environment', async () => {
    const [mine, other] = [await createRunningInstance(world), await createRunningInstance(world)];
    const sessionID = await connectAgent(world.store, mine.environmentID);
    const request = { sessionID, previousSessionID: other.sessionID, held: [heldInstanceOf(other)] };
    expect(await world.rpc.call(execution.adopt, request)).toEqual({ granted: [], revoked: [heldInstanceOf(other)] });
    expect(await readInstance(world, other)).toMatchObject({ status: 'running' });
  });

  test('an adoption that crashes several instances empties the queue of their environment once', async () => {
    const one = await createRunningInstance(world, { cancelQueue: true, credits: 10 });
    const two = await createRunningInstance(world);
    const { environmentID, sessionID } = one;
    await world.store.write('UPDATE instance SET environment_id = ?, session_id = ? WHERE instance_id = ?', [
      environmentID,
      sessionID,
      two.work.instanceID,
    ]);
    const queued = startRequest(one);
    await world.rpc.call(execution.start, queued);
    const next = { sessionID: await connectAgent(world.store, environmentID), previousSessionID: sessionID, held: [] };
    expect(await world.rpc.call(execution.adopt, next)).toEqual({ granted: [], revoked: [] });
    expect([await readInstance(world, one), await readInstance(world, two)]).toMatchObject([
      { status: 'error' },
      { status: 'error' },
    ]);
    const ends = "instance_id = ? AND action = 'end'";
    await waitUntil(
      'the queue is cancelled',
      async () => (await countOf(world.store, 'audit_event', ends, [queued.instanceID])) > 0,
    );
    expect(await countOf(world.store, 'audit_event', ends, [queued.instanceID])).toBe(1);
    expect(await creditsOf(world.store, one.companyID)).toEqual({ balance: 9, ledger: 9 });
  });
});

test('execution says that sessions can be resumed while the database accepts writes', async () => {
  expect(await world.rpc.call(execution.canAdopt, {})).toEqual({ ok: true });
});

describe('sweep', () => {
  const sweep = async (store = world.store) => {
    const metrics = Object.assign(Object.create(null), { lostInstances: { inc: () => {} } });
    const changes = new InstanceChangeNotifier(world.rpc);
    const logger = createLogger('execution', 'silent');
    return new LostInstanceService(store, world.rpc, changes, metrics, logger).sweep(15);
  };
  const expireLease = ({ sessionID }: ClaimedInstance) =>
    world.store.write(
      'UPDATE agent_session SET lease_until = UTC_TIMESTAMP(3) - INTERVAL 1 SECOND WHERE session_id = ?',
      [sessionID],
    );

  test('the sweep of lost instances ends running instances as crashed after their lease ran out, or as stopped when a stop is desired, and requeues offers', async () => {
    const [ran, offered] = [await createRunningInstance(world), await createClaimedInstance(world)];
    const [stopping, alive] = [await createRunningInstance(world), await createRunningInstance(world)];
    await requestControl(world, stopping, stopping.work.instanceID, 'stop');
    for (const at of [ran, offered, stopping]) await expireLease(at);
    const recovered = (await Promise.all([sweep(), sweep()])).flat();
    expect(recovered.toSorted()).toEqual([ran, offered, stopping].map(({ work }) => work.instanceID).toSorted());
    expect(await readInstance(world, ran)).toMatchObject({ status: 'error' });
    expect(await readInstance(world, offered)).toMatchObject({ status: 'queued' });
    expect(await readInstance(world, stopping)).toMatchObject({ status: 'stopped' });
    expect(await readInstance(world, alive)).toMatchObject({ status: 'running' });
    expect(await sendReport(world, ran, 1)).toEqual({ accepted: false, seq: 1 });
  });

  test('the sweep of lost instances requeues the offers of a closed session and leaves its running instances, which the agent may resume', async () => {
    const [offered, ran] = [await createClaimedInstance(world), await createRunningInstance(world)];
    await world.store.write('UPDATE agent_session SET closed_at = UTC_TIMESTAMP(3) WHERE session_id IN (?)', [
      [offered.sessionID, ran.sessionID],
    ]);
    await sweep();
    expect(await readInstance(world, offered)).toMatchObject({ status: 'queued' });
    expect(await readInstance(world, ran)).toMatchObject({ status: 'running' });
  });

  test('the sweep of lost instances requeues an offer that was not granted within the time limit of a claim', async () => {
    const at = await createClaimedInstance(world);
    await world.store.write(
      'UPDATE instance SET claimed_at = UTC_TIMESTAMP(3) - INTERVAL 16 SECOND WHERE instance_id = ?',
      [at.work.instanceID],
    );
    await sweep();
    expect(await readInstance(world, at)).toMatchObject({ status: 'queued' });
  });

  /** The store of the world, whose next transactions fail with these errors. */
  const failingWith = (...errors: Error[]): Store =>
    Object.assign(Object.create(world.store), {
      transaction: (work: (tx: Store) => Promise<unknown>) => {
        const error = errors.shift();
        return error ? Promise.reject(error) : world.store.transaction(work);
      },
    });

  test('an instance that the sweep of lost instances cannot recover does not keep it from the others', async () => {
    const offered = await createClaimedInstance(world);
    const lost = [offered, await createRunningInstance(world), await createRunningInstance(world)];
    for (const at of lost) await expireLease(at);
    expect(await sweep(failingWith(new Error('a row that cannot be written')))).toHaveLength(2);
    expect(await sweep()).toHaveLength(1);
  });

  test('the sweep of lost instances ends at the first error while the database is away', async () => {
    const lost = [await createRunningInstance(world), await createRunningInstance(world)];
    for (const at of lost) await expireLease(at);
    await expect(sweep(failingWith(new ApiError('UNAVAILABLE')))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await sweep()).toHaveLength(2);
  });

  test('an offer that is granted late, after the sweep of lost instances read it, runs', async () => {
    const at = await createClaimedInstance(world);
    const ageClaim = 'UPDATE instance SET claimed_at = UTC_TIMESTAMP(3) - INTERVAL 16 SECOND WHERE instance_id = ?';
    await world.store.write(ageClaim, [at.work.instanceID]);
    const readRows = world.store.rows.bind(world.store);
    jest.spyOn(world.store, 'rows').mockImplementationOnce(async (sql, parameters) => {
      const rows = await readRows<unknown>(sql, parameters);
      await requestGrant(world, at);
      return rows;
    });
    expect(await sweep()).toEqual([]);
    expect(await readInstance(world, at)).toMatchObject({ status: 'running' });
  });

  test('the sweep of lost instances ends no running instance while leases cannot be kept, and ends it when its agent has not come back afterwards', async () => {
    const [ran, offered] = [await createRunningInstance(world), await createClaimedInstance(world)];
    const observed = (seconds: number) =>
      world.store.write(
        `INSERT INTO lease_health VALUES (1, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) + INTERVAL ? SECOND)
          ON DUPLICATE KEY UPDATE healthy_until = VALUES(healthy_until)`,
        [seconds],
      );
    for (const at of [ran, offered]) await expireLease(at);
    await observed(-1);
    await sweep();
    expect(await readInstance(world, ran)).toMatchObject({ status: 'running' });
    expect(await readInstance(world, offered)).toMatchObject({ status: 'queued' });
    await observed(60);
    await sweep();
    expect(await readInstance(world, ran)).toMatchObject({ status: 'error' });
  });
});
