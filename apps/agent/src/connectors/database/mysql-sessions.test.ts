import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import { startTestMariadb, type TestServer } from '../../../../../test/support/servers';
import { waitUntil } from '../../../../../test/support/wait-until';
import { createFlowWorld, useSandbox } from '../../../test/flow-world';

const sandbox = useSandbox({ workers: 1 });
const ACCOUNT = { user: 'app', password: 'word' };
const servers: TestServer[] = [];
const admins: Connection[] = [];

beforeAll(async () => {
  servers.push(await startTestMariadb());
  for (const { url } of servers) {
    const admin = await createConnection({ uri: url });
    admins.push(admin);
    await admin.query(`CREATE USER app@'%' IDENTIFIED BY 'word'`);
  }
});
afterAll(async () => {
  for (const admin of admins) admin.destroy();
  await Promise.all(servers.map((server) => server.stop()));
});

/** The ids of the server's connections, except that of the test, for which the condition holds. */
async function idsOf(server: number, condition: string): Promise<number[]> {
  const sql = `SELECT id FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND ${condition}`;
  const [rows] = (await admins[server]?.query<RowDataPacket[]>(sql)) ?? [[]];
  return rows.map(({ id }) => Number(id));
}

test('a step that fails logs out, so that the server counts no lost connection', async () => {
  const countLost = async () => {
    const [rows] = (await admins[0]?.query<RowDataPacket[]>("SHOW GLOBAL STATUS LIKE 'Aborted_clients'")) ?? [[]];
    return Number(rows[0]?.['Value']);
  };
  // The server counts a lost connection before it takes it from its list.
  const onlyAdmin = async () => (await idsOf(0, "user NOT IN ('system user', 'event_scheduler')")).length === 0;
  await waitUntil('no other connection is left', onlyAdmin);
  const before = await countLost();
  const connection = `mysql://${ACCOUNT.user}:${ACCOUNT.password}@127.0.0.1:${servers[0]?.port}`;
  const step = { name: 'query', type: 'database', connection, sql: 'SELECT nothing' } as const;
  expect(await createFlowWorld(sandbox).run([step])).toMatchObject({ outcome: 'ERROR' });
  await waitUntil('the connection is gone', onlyAdmin);
  expect(await countLost()).toBe(before);
});
