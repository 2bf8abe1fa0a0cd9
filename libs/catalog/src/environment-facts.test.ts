import { openStore, type Store } from '@batuta/database';
import { v7 as uuid } from 'uuid';
import { createMigratedDatabase } from '../../../test/support/migrated-database';
import type { TestDatabase } from '../../../test/support/servers';
import { environmentFacts } from '.';

let database: TestDatabase;
let store: Store;

beforeAll(async () => {
  database = await createMigratedDatabase();
  store = await openStore({ url: database.url, pool: 2 });
});

afterAll(async () => {
  await store?.close();
  await database?.drop();
});

type SessionState = 'connected' | 'closed' | 'expired';

async function environmentWith(sessions: SessionState[]): Promise<string> {
  const [id, now] = [uuid(), new Date()];
  const environment = [id, id, id, 'Plant', '', 'linux', 'prod', 1, 0, 1, 0, Buffer.from(id).subarray(-32), now];
  await store.write('INSERT INTO environment VALUES (?)', [environment]);
  for (const session of sessions) {
    await store.write(
      `INSERT INTO agent_session VALUES (?, ?, 'r', 'a', '1', '[]', 1, UTC_TIMESTAMP(3),
         UTC_TIMESTAMP(3) + INTERVAL ? SECOND, ${session === 'closed' ? 'UTC_TIMESTAMP(3)' : 'NULL'}, NULL)`,
      [uuid(), id, session === 'expired' ? -1 : 3_600],
    );
  }
  return id;
}

test.each<[boolean, SessionState[]]>([
  [false, []],
  [true, ['connected']],
  [false, ['closed']],
  [false, ['expired']],
  [false, ['closed', 'expired', 'closed']],
  [true, ['expired', 'connected', 'closed']],
])('an environment has online = %s when the sessions of its agents are %j', async (online, sessions) => {
  const [single, other] = await Promise.all([environmentWith(sessions), environmentWith(['connected'])]);
  expect((await environmentFacts(store, [single])).get(single)?.online).toBe(online);
  const together = await environmentFacts(store, [other, single]);
  expect([together.get(other)?.online, together.get(single)?.online]).toEqual([true, online]);
});
