import type { Socket } from 'node:net';
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import { createTestDatabase, type TestDatabase } from '../../../../../test/support/servers';
import { waitUntil } from '../../../../../test/support/wait-until';
import { agentHostRules } from '../../network/agent-host-rules';
import { hostAccess } from '../../network/host-access';
import { createFlowWorld, useSandbox } from '../../../test/flow-world';

const sandbox = useSandbox({ workers: 1 });
let database: TestDatabase;
let own: Connection;

beforeAll(async () => {
  database = await createTestDatabase();
  own = await createConnection({ uri: database.url, dateStrings: true });
  await own.query('CREATE TABLE orders (at DATETIME(6)) ENGINE=InnoDB');
});
afterAll(async () => {
  await own?.end();
  await database?.drop();
});

const select = async (sql: string) => (await own.query<RowDataPacket[]>(sql))[0];
const sessionsOfStep = (condition: string) =>
  select(
    `SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID() AND ${condition}`,
  );

test('a suspended execution begins no further statement of a step until it is granted again', async () => {
  const world = createFlowWorld(sandbox);
  const statements = [{ sql: "DO GET_LOCK('turn', 1000)" }, { sql: 'INSERT INTO orders VALUES (NOW(6))' }];
  await own.query("DO GET_LOCK('turn', 1000)");
  const ended = world.run([{ name: 'query', type: 'database', connection: database.url, statements }]);
  await waitUntil('the first statement runs', async () => (await sessionsOfStep("state = 'User lock'")).length === 1);
  world.control.setSuspended(true);
  await own.query("DO RELEASE_LOCK('turn')");
  await waitUntil(
    'the first statement has ended',
    async () => (await sessionsOfStep("command = 'Sleep'")).length === 1,
  );
  const [granted] = await select('SELECT NOW(6) AS at');
  world.control.setSuspended(false);
  expect(await ended).toMatchObject({ outcome: 'FINALIZED' });
  const [order] = await select('SELECT at FROM orders');
  expect(String(order?.['at']) >= String(granted?.['at'])).toBe(true);
});

test('a connection that the server ended while the execution was suspended fails the next statement at once', async () => {
  const access = hostAccess(agentHostRules());
  const sockets: Socket[] = [];
  const openSocket = (host: string, port: number) => {
    const socket = access.openSocket(host, port);
    sockets.push(socket);
    return socket;
  };
  const world = createFlowWorld(sandbox, { hostAccess: { ...access, openSocket } });
  const statements = [{ sql: "DO GET_LOCK('second', 1000)" }, { sql: 'SELECT 1' }];
  await own.query("DO GET_LOCK('second', 1000)");
  const step = { name: 'query', type: 'database', connection: database.url, statements, timeoutSeconds: 600 } as const;
  const ended = world.run([step]);
  const id = await waitUntil('the first statement runs', async () => {
    const [session] = await sessionsOfStep("state = 'User lock'");
    return session && String(session['id']);
  });
  world.control.setSuspended(true);
  await own.query("DO RELEASE_LOCK('second')");
  const hasEnded = async () => (await sessionsOfStep(`id = ${id} AND command = 'Sleep'`)).length === 1;
  await waitUntil('the first statement has ended', hasEnded);
  await own.query(`KILL ${id}`);
  await waitUntil('the connection is lost', () => sockets.every(({ closed }) => closed));
  world.control.setSuspended(false);
  expect((await ended).errorMessage).toContain('statement 2: ');
});
