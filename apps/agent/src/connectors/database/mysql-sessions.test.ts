import { connect, createServer, type Server } from 'node:net';
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import { startTestMariadb, type TestServer } from '../../../../../test/support/servers';
import { waitUntil } from '../../../../../test/support/wait-until';
import { createFlowWorld, useSandbox } from '../../../test/flow-world';
import { listenOnFreePort } from '../../../../../test/support/web-server';

const sandbox = useSandbox({ workers: 1 });
const ACCOUNT = { user: 'app', password: 'word' };
const servers: TestServer[] = [];
const admins: Connection[] = [];
let balancer: Server;
let balancerPort: number;
/** The server that gets each connection through the balancer, in order; the last one gets all further connections. */
let targets: number[] = [0];

beforeAll(async () => {
  servers.push(await startTestMariadb(), await startTestMariadb());
  for (const { url } of servers) {
    const admin = await createConnection({ uri: url });
    admins.push(admin);
    await admin.query(`CREATE USER app@'%' IDENTIFIED BY 'word'`);
  }
  balancer = createServer((client) => {
    const [target = 0] = targets.length > 1 ? targets.splice(0, 1) : targets;
    const server = connect(servers[target]?.port ?? 0, '127.0.0.1');
    client.pipe(server).pipe(client);
    client.on('error', () => undefined).once('close', () => server.destroy());
    server.on('error', () => undefined).once('close', () => client.destroy());
  });
  balancerPort = await listenOnFreePort(balancer);
});
afterAll(async () => {
  balancer?.close();
  for (const admin of admins) admin.destroy();
  await Promise.all(servers.map((server) => server.stop()));
});

/** The ids of the server's connections, except that of the test, for which the condition holds. */
async function idsOf(server: number, condition: string): Promise<number[]> {
  const sql = `SELECT id FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND ${condition}`;
  const [rows] = (await admins[server]?.query<RowDataPacket[]>(sql)) ?? [[]];
  return rows.map(({ id }) => Number(id));
}

/** Opens connections to the server until one has this id; the others are closed. */
async function connectWithID(server: number, wanted: number): Promise<Connection> {
  for (;;) {
    const connection = await createConnection({ host: '127.0.0.1', port: servers[server]?.port, ...ACCOUNT });
    if (connection.threadId === wanted) return connection;
    connection.destroy();
    if (connection.threadId > wanted) throw new Error(`the id ${wanted} was given before`);
  }
}

/** How many connections to the server were lost. Waits until only these are left: it counts a lost one before it takes it from its list. */
async function countLost(server: number, left: number[] = []): Promise<number> {
  const areGone = async () =>
    (await idsOf(server, "user NOT IN ('system user', 'event_scheduler')")).every((id) => left.includes(id));
  await waitUntil('no other connection is left', areGone);
  const [rows] = (await admins[server]?.query<RowDataPacket[]>("SHOW GLOBAL STATUS LIKE 'Aborted_clients'")) ?? [[]];
  return Number(rows[0]?.['Value']);
}

test('a step that fails logs out, so that the server counts no lost connection', async () => {
  const before = await countLost(0);
  const connection = `mysql://${ACCOUNT.user}:${ACCOUNT.password}@127.0.0.1:${servers[0]?.port}`;
  const step = { name: 'query', type: 'database', connection, sql: 'SELECT nothing', timeoutSeconds: 600 } as const;
  expect(await createFlowWorld(sandbox).run([step])).toMatchObject({ outcome: 'ERROR' });
  expect(await countLost(0)).toBe(before);
});

test('a stop ends the statement at its server, ends no session of another server that has the same id, and logs out there', async () => {
  // Raises the ids of the first server above those of the second one, which then gives the same id.
  for (let count = 0; count < 10; count += 1) (await createConnection({ uri: servers[0]?.url })).destroy();
  targets = [0, 1, 0];
  const connection = `mysql://${ACCOUNT.user}:${ACCOUNT.password}@127.0.0.1:${balancerPort}`;
  const world = createFlowWorld(sandbox);
  const ended = world.run([
    { name: 'query', type: 'database', connection, sql: 'DO SLEEP(1000)', timeoutSeconds: 600 },
  ]);
  await waitUntil('the statement runs', async () => (await idsOf(0, "state = 'User sleep'")).length === 1);
  const [id = 0] = await idsOf(0, "state = 'User sleep'");
  const other = await connectWithID(1, id);
  const lostBefore = await countLost(1, [id]);
  world.control.setDesired('stop');
  expect(await ended).toMatchObject({ outcome: 'STOPPED' });
  await waitUntil('its server has ended the statement', async () => (await idsOf(0, `id = ${id}`)).length === 0);
  await expect(other.query('SELECT 1')).resolves.toBeDefined();
  expect(await countLost(1, [id])).toBe(lostBefore);
  other.destroy();
});
