import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { startHaproxy } from '../../../scripts/lib/haproxy.cjs';
import { ensureMariadbClients } from '../../../scripts/lib/mariadb-clients.cjs';
import { startReplication, type Replication, type ReplicationServer } from '../../../scripts/lib/replication.cjs';
import { freePort } from '../../../scripts/lib/servers.cjs';
import { readShipped } from '../../support/deployment/database-files';
import { waitUntil } from '../../support/wait-until';
import { ChaosStack } from '../support/faults/chaos-stack';
import { until } from '../support/until';

// The primary is killed and the replica promoted, with the files of ops/replication, the statements of docs/deployment.md, and HAProxy.

const PROMOTE = join(__dirname, '../../../ops/replication/promote.sh');
const TIME_LIMIT_MS = 240_000;
const MAX_PROXY_STARTS = 3;
/** The replication password of the test; the document has a placeholder. */
const PASSWORD = randomBytes(12).toString('hex');

let replication: Replication;
let first: ReplicationServer;
let second: ReplicationServer;
let proxy: Awaited<ReturnType<typeof startHaproxy>>;
let chaos: ChaosStack;
/** The blocks of SQL in docs/deployment.md, section "A primary with a replica", in their order. */
let steps: { users: string; follow: string; lead: string; followAgain: string; waitAgain: string };

beforeAll(async () => {
  [replication, steps] = await Promise.all([startReplication(), readSteps()]);
  [first, second] = replication.servers;
  await run(first, steps.users);
  await run(second, steps.follow);
  await run(first, steps.lead);
  const databaseUrl = await startProxy();
  chaos = await ChaosStack.start({ databaseUrl, replicas: 'together' });
  await chaos.joinAgent('steady');
  await chaos.recordUndisturbedLog();
}, TIME_LIMIT_MS);

afterAll(async () => {
  await chaos?.stop();
  await proxy?.stop();
  await replication?.stop();
});

async function readSteps(): Promise<typeof steps> {
  const document = await readFile(join(__dirname, '../../../docs/deployment.md'), 'utf8');
  const [, section = ''] = /\n### A primary with a replica\n([^]*?)\n## /.exec(document) ?? [];
  const blocks = [...section.matchAll(/```sql\n([^]*?)```/g)].map(([, text = '']) => text);
  const [users = '', follow = '', lead = '', followAgain = '', waitAgain = ''] = blocks;
  if (blocks.length !== 5) throw new Error(`The section has ${blocks.length} blocks of statements`);
  return { users, follow, lead, followAgain, waitAgain };
}

/** Starts the proxy and returns its URL when it leads to the first server; starts it again on another port when a program has taken its port. */
async function startProxy(): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    proxy = await startHaproxy(proxySettings(port));
    const url = new URL(first.url);
    url.port = String(port);
    if (await servesOrEnds(url.href, first)) return url.href;
    const log = await proxy.log();
    await proxy.stop();
    if (attempt === MAX_PROXY_STARTS) throw new Error(`The proxy ended: ${log}`);
  }
}

function proxySettings(port: number): string {
  const bound = readShipped('ops/replication/haproxy.cfg').replace('bind :3306', `bind 127.0.0.1:${port}`);
  return replication.servers.reduce(
    (text, server) => text.replace(`${server.name}:3306`, `127.0.0.1:${server.port}`),
    bound,
  );
}

/** Runs statements after replacing the document's addresses by those of the test; returns the rows of the last statement. */
async function run(server: ReplicationServer, statements: string): Promise<RowDataPacket[]> {
  const connection = await createConnection(server.url);
  let rows: RowDataPacket[] = [];
  try {
    for (const sql of statements.split(';').map((text) => text.trim())) {
      if (sql !== '') [rows] = await connection.query<RowDataPacket[]>(withAddresses(sql));
    }
  } finally {
    connection.destroy();
  }
  return rows;
}

function withAddresses(sql: string): string {
  const placed = sql.replaceAll(/<network[^>]*>/g, '127.0.0.1').replace('<password>', PASSWORD);
  return placed.replace(/MASTER_HOST = '(mariadb-\d)'/, (_text, name: string) => {
    const port = replication.servers.find((server) => server.name === name)?.port;
    return `MASTER_HOST = '127.0.0.1', MASTER_PORT = ${port}`;
  });
}

/** Waits until the proxy leads to the server; false when the proxy has ended. */
async function servesOrEnds(url: string, { name }: ReplicationServer): Promise<boolean> {
  const state = await waitUntil(`the proxy leads to ${name} or has ended`, async () => {
    if (!proxy.isAlive()) return 'ended';
    const connection = await createConnection({ uri: url, connectTimeout: 2_000 }).catch(() => undefined);
    const [[row] = []] = (await connection?.query<RowDataPacket[]>('SELECT @@server_id AS id').catch(() => [])) ?? [];
    connection?.destroy();
    return `mariadb-${row?.['id']}` === name && 'serves';
  });
  return state === 'serves';
}

/** Runs the script as an operator does; throws with what it prints when it refuses. */
async function promote({ url }: ReplicationServer): Promise<string> {
  const { hostname, port, username, password } = new URL(url);
  const env = { ...(await ensureMariadbClients()), MYSQL_PWD: password };
  const options = [`--host=${hostname}`, `--port=${port}`, `--user=${username}`];
  const { stdout } = await promisify(execFile)('sh', [PROMOTE, ...options], { env });
  return stdout;
}

async function untilFollows(server: ReplicationServer): Promise<void> {
  await until(
    async () => {
      const [row] = await run(server, 'SHOW SLAVE STATUS');
      return [row?.['Slave_IO_Running'], row?.['Slave_SQL_Running'], row?.['Last_IO_Error'], row?.['Last_SQL_Error']];
    },
    ([receives, applies]) => receives === 'Yes' && applies === 'Yes',
  );
}

/** The ids of all instances at this server. */
async function instancesAt(server: ReplicationServer): Promise<string[]> {
  const rows = await run(server, `SELECT instance_id FROM ${replication.database}.instance ORDER BY instance_id`);
  return rows.map((row) => String(row['instance_id']));
}

test(
  'every accepted start is there exactly once when the primary is killed under load and the replica promoted, and the old primary follows it',
  async () => {
    const orders = await chaos.makeOrderProcess();
    const { accepted } = orders.integrator;
    const untilAccepted = (count: number) => {
      const wantedSize = accepted.size + count;
      return until(
        () => Promise.resolve(accepted.size),
        (size) => size >= wantedSize,
      );
    };
    let over = false;
    const load = orders.integrator.placeUntil(() => over, { concurrency: 4, pauseMs: 50 });
    await untilAccepted(10);
    // The replica receives these starts, so that they are accepted, but applies them only at its promotion.
    await run(second, 'STOP SLAVE SQL_THREAD');
    await untilAccepted(10);
    const received = [...accepted.values()];
    await first.kill();
    const present = await instancesAt(second);
    expect(received.filter((id) => !present.includes(id))).not.toEqual([]);

    expect(await promote(second)).toContain('This server is the primary');
    expect(await instancesAt(second)).toEqual(expect.arrayContaining(received));
    await untilAccepted(10);
    over = true;
    await load;
    expect((await chaos.check(orders)).violations).toEqual([]);

    await first.start('replica');
    await run(first, steps.followAgain);
    await untilFollows(first);
    await run(second, steps.waitAgain);
    await orders.integrator.place(1);
    const all = await instancesAt(second);
    expect(all).toEqual(expect.arrayContaining([...accepted.values()]));
    await until(
      () => instancesAt(first),
      ({ length }) => length === all.length,
    );
    expect(await instancesAt(first)).toEqual(all);
  },
  TIME_LIMIT_MS,
);

test(
  'a primary that is killed before its replica has received a transaction shows it to nobody, and drops it when it comes back as a replica',
  async () => {
    const table = `${replication.database}.note`;
    await run(second, `CREATE TABLE ${table} (text VARCHAR(20) PRIMARY KEY)`);
    await run(first, 'STOP SLAVE IO_THREAD');
    const refused = run(second, `INSERT INTO ${table} VALUES ('not received')`).catch((error: Error) => error);
    await waitUntil('a transaction waits for the replica', async () => {
      const [row] = await run(second, "SHOW STATUS LIKE 'Rpl_semi_sync_master_wait_sessions'");
      return Number(row?.['Value']) > 0;
    });
    expect(await run(second, `SELECT * FROM ${table}`)).toEqual([]);
    await second.kill();
    expect(await refused).toBeInstanceOf(Error);

    await promote(first);
    await run(first, `INSERT INTO ${table} VALUES ('after it')`);
    await second.start('replica');
    await run(second, steps.followAgain.replace('mariadb-2', 'mariadb-1'));
    await untilFollows(second);
    await run(first, steps.waitAgain);
    await run(first, `INSERT INTO ${table} VALUES ('to both')`);
    await waitUntil('the replica has applied it', async () => (await run(second, `SELECT * FROM ${table}`)).length > 1);
    expect(await run(second, `SELECT * FROM ${table}`)).toEqual([{ text: 'after it' }, { text: 'to both' }]);

    await expect(promote(first)).rejects.toThrow(/no replica/);
    await run(second, 'STOP SLAVE');
    await expect(promote(second)).rejects.toThrow(/Both threads are stopped/);
    expect(await run(second, 'SELECT @@read_only AS value')).toEqual([{ value: 1 }]);
    // Without this, the last writes of the services would wait for the replica, and their stop would take long.
    await run(second, 'START SLAVE');
  },
  TIME_LIMIT_MS,
);
