import { randomUUID } from 'node:crypto';
import { findUnindexedReads, recordStatements } from '../../../../test/support/query-plans';
import { waitUntilTrue } from '../../test/until';
import { RouterWorld } from '../../test/world';
import { SessionRepository } from '../sessions/session.repository';
import { LeaseHealthRepository } from './lease-health.repository';

const SETTINGS = { LEASE_SECONDS: 60 };

let world: RouterWorld;
beforeAll(async () => {
  world = await RouterWorld.create();
});
afterAll(() => world?.close());
beforeEach(() => world.store.write('DELETE FROM lease_health'));

const createHealth = () => new LeaseHealthRepository(world.store, SETTINGS);

/** Writes the row of the last observation, which was made this number of seconds ago and is too old to count. */
const writeOutdatedObservation = (seconds: number) =>
  world.store.write(
    `INSERT INTO lease_health VALUES (1, UTC_TIMESTAMP(3) - INTERVAL ? SECOND, UTC_TIMESTAMP(3) - INTERVAL ? SECOND)`,
    [seconds, seconds],
  );

/** Writes a session whose lease ends in this many seconds; returns its id. */
async function insertSession(leaseSeconds: number): Promise<string> {
  const sessionID = randomUUID();
  await world.store.write(
    `INSERT INTO agent_session (session_id, environment_id, router_id, agent_name, runtime_version, abilities,
                                capacity, connected_at, lease_until)
     VALUES (?, ?, 'r', 'a', '1', '[]', 1, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) + INTERVAL ? SECOND)`,
    [sessionID, randomUUID(), leaseSeconds],
  );
  return sessionID;
}

const isAlive = async (sessionID: string) => (await world.findSession(sessionID))?.alive === 1;

const isHealthy = async () => {
  const row = await world.store.row<{ healthy: number }>(
    'SELECT healthy_until > UTC_TIMESTAMP(3) AS healthy FROM lease_health',
  );
  return row?.healthy === 1;
};

test('the leases of an outage are found by their index, also when these are all leases', async () => {
  await world.store.write('DELETE FROM agent_session');
  const insertExpired = async () => {
    for (let count = 0; count < 5; count += 1) await insertSession(-100);
  };
  await insertExpired();
  await writeOutdatedObservation(1_000);
  const statements = await recordStatements(() => createHealth().record());
  expect(statements.some(({ sql }) => sql.startsWith('UPDATE agent_session'))).toBe(true);
  await world.store.write('DELETE FROM agent_session');
  await insertExpired();
  expect(await findUnindexedReads(world.store, statements)).toEqual([]);
});

test('after an outage the leases that had not expired when it began are renewed, and the others stay expired', async () => {
  await writeOutdatedObservation(10_000);
  const [before, meanwhile, later] = [
    await insertSession(-10_600),
    await insertSession(-9_400),
    await insertSession(600),
  ];
  expect(await createHealth().record()).toBeGreaterThanOrEqual(10_000);
  expect([await isAlive(before), await isAlive(meanwhile), await isHealthy()]).toEqual([false, true, true]);
  const left = await world.store.rows<{ seconds: number }>(
    'SELECT TIMESTAMPDIFF(SECOND, UTC_TIMESTAMP(3), lease_until) AS seconds FROM agent_session WHERE session_id IN (?)',
    [[meanwhile, later]],
  );
  for (const { seconds } of left) expect(seconds).toBeGreaterThan(SETTINGS.LEASE_SECONDS / 2);
});

test('an observation that follows in time, and the first one of all, renew no lease', async () => {
  const expired = await insertSession(-1);
  expect(await createHealth().record()).toBeUndefined();
  expect(await createHealth().record()).toBeUndefined();
  expect([await isAlive(expired), await isHealthy()]).toEqual([false, true]);
});

test('an observation that is written long after it renewed the leases does not count', async () => {
  await writeOutdatedObservation(100);
  // The database stands still for ten seconds after the outage was read.
  const row = world.store.row.bind(world.store);
  const earlier = await row<{ now: string }>('SELECT CAST(UTC_TIMESTAMP(3) - INTERVAL 10 SECOND AS CHAR) AS now');
  const read = jest.spyOn(world.store, 'row');
  read.mockImplementationOnce(async (sql) => Object.assign(Object(await row(sql)), earlier));
  expect(await createHealth().record()).toBeUndefined();
  read.mockRestore();
  expect(await isHealthy()).toBe(false);
});

test('replicas that find the same outage renew the leases once', async () => {
  await writeOutdatedObservation(100);
  const ends = await Promise.all(Array.from({ length: 3 }, () => createHealth().record()));
  expect(ends.filter((seconds) => seconds !== undefined)).toHaveLength(1);
});

test('rows of sessions do not grow older in an outage', async () => {
  const day = 24 * 3_600;
  await writeOutdatedObservation(10 * day);
  const [old, held] = [await insertSession(-12 * day), await insertSession(-10 * day + 3_600)];
  const repository = new SessionRepository(world.store, SETTINGS);
  await repository.deleteOld();
  expect([await world.findSession(old), (await world.findSession(held))?.alive]).toEqual([undefined, 0]);
  await createHealth().record();
  expect(await isAlive(held)).toBe(true);
});

test('a router observes that leases are kept, but not while execution does not answer', async () => {
  const router = await world.startRouter({ LEASE_SECONDS: 20 });
  for (const failures of [0, Infinity, 0]) {
    world.fake.fail('canAdopt', failures);
    const isSeen = waitUntilTrue(
      async () => (await isHealthy()) === (failures === 0),
      `health with ${failures} failures`,
    );
    await expect(isSeen).resolves.toBeUndefined();
  }
  await router.close();
});
