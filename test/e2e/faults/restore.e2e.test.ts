import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DATABASE_SERVICES, migrate } from '@batuta/database';
import { ensureMariadbClients } from '../../../scripts/lib/mariadb-clients.cjs';
import { createTestUsers } from '../../support/service-users';
import { startTestMariadb, type TestServer } from '../../support/servers';
import { ChaosStack } from '../support/faults/chaos-stack';
import { openTestStore } from '../support/stack/database';
import { Integrator } from '../support/faults/integrator';
import { until } from '../support/until';

// The restore drill of docs/operations.md: the scripts of k8s/backup, the loss of the database, and a new server.

const SCRIPTS = join(__dirname, '../../../k8s/backup');
/** Pause of each of four callers between two starts. There are few starts, because without agents all of them stay queued until the restoration. */
const LOAD_PAUSE_MS = 100;

let chaos: ChaosStack;
let folder: string;
let target: TestServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batuta-backup-'));
  [chaos, target] = await Promise.all([
    ChaosStack.start({ ownMariadb: true, binaryLog: true, replicas: 'together' }),
    startTestMariadb({ binaryLog: true }),
  ]);
});

afterAll(async () => {
  await chaos?.stop();
  await target?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a script of k8s/backup on the database of this URL; throws with what it prints when it fails. */
async function runScript(script: string, url: string, ...args: string[]): Promise<string> {
  const { hostname, port, username, password, pathname } = new URL(url);
  const env = {
    ...(await ensureMariadbClients()),
    DATABASE_HOST: hostname,
    DATABASE_PORT: port,
    DATABASE_USER: decodeURIComponent(username),
    DATABASE_PASSWORD: decodeURIComponent(password),
    DATABASE_NAME: pathname.slice(1),
  };
  const { stdout } = await promisify(execFile)('bash', [join(SCRIPTS, script), ...args], { env });
  return stdout;
}

/** The URL with the user that docs/operations.md creates for backups. */
async function makeBackupUser(url: string): Promise<string> {
  const document = await readFile(join(__dirname, '../../../docs/operations.md'), 'utf8');
  const [, block = ''] = /```sql\n([^`]*batuta_backup[^`]*)```/.exec(document) ?? [];
  const statements = block.split(';').map((text) => text.trim());
  const password = 'of-the-backup';
  for (const sql of statements.filter((text) => text !== '')) {
    await chaos.store.write(sql.replace(/'<[^']*>'/, `'${password}'`));
  }
  return Object.assign(new URL(url), { username: 'batuta_backup', password }).href;
}

/** Waits for the next full second of the database's clock and returns it: every earlier write is before it. */
async function nextSecond(): Promise<string> {
  const now = async () => {
    const row = await chaos.store.row<{ now: string }>(
      `SELECT DATE_FORMAT(UTC_TIMESTAMP(), '%Y-%m-%d %H:%i:%s') AS now`,
    );
    return row?.now ?? '';
  };
  const before = await now();
  return until(now, (moment) => moment > before);
}

test('a backup made under load and the binary log restore every start accepted before a moment, once, with an exact ledger', async () => {
  const { stack } = chaos;
  const backupUrl = await makeBackupUser(stack.databaseUrl);
  const orders = await chaos.makeOrderProcess();
  const { integrator } = orders;
  // No agent runs, because an instance that started after the restored moment would have its effect a second time.
  let over = false;
  const load = integrator.placeUntil(() => over, { concurrency: 4, pauseMs: LOAD_PAUSE_MS });
  await until(
    () => Promise.resolve(integrator.accepted.size),
    (count) => count > 20,
  );
  await runScript('backup.sh', backupUrl, 'full', folder);
  const inDump = integrator.accepted.size;
  // Makes several files of the log, because a later copy begins with the newest file that was copied before.
  for (let file = 0; file < 2; file += 1) {
    await chaos.store.write('FLUSH BINARY LOGS');
    await runScript('backup.sh', backupUrl, 'logs', folder);
  }
  await until(
    () => Promise.resolve(integrator.accepted.size),
    (count) => count > inDump + 20,
  );
  over = true;
  await load;
  const moment = await nextSecond();
  await nextSecond();
  const late = new Integrator(orders.process);
  await late.place(10);
  await runScript('backup.sh', backupUrl, 'logs', folder);
  await stack.mariadb?.kill();

  expect(await runScript('restore.sh', target.url, folder, moment)).toContain('Restored.');
  await expect(runScript('restore.sh', target.url, folder, moment)).rejects.toThrow(/has tables already/);
  expect(await migrate(target.url)).toEqual([]);
  const store = await openTestStore(target.url);
  const rows = await store.rows<{ instance_id: string }>('SELECT instance_id FROM instance');
  expect(rows.map((row) => row.instance_id).toSorted()).toEqual([...integrator.accepted.values()].toSorted());
  await store.close();

  const [first, ...others] = Object.values(stack.services).flat();
  // Creates the database users of the services, as the migration does in an installation.
  const users = await createTestUsers(target.url, DATABASE_SERVICES);
  const urls = DATABASE_SERVICES.map((name) => [`${name.toUpperCase()}_DATABASE_URL`, users[name]]);
  await first?.startAgain({ DATABASE_URL: target.url, ...Object.fromEntries(urls) });
  for (const service of others) await service.untilReady();
  await chaos.useDatabase(target.url);
  await chaos.joinAgent('after');
  await chaos.recordUndisturbedLog();
  await integrator.place(5);
  expect((await chaos.check(orders)).violations).toEqual([]);
});
