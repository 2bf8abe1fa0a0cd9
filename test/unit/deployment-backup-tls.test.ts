import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openStore, type Store } from '@batuta/database';
import { privateAuthority } from '../../apps/agent/test/test-certificate';
import { ensureMariadbClients } from '../../scripts/lib/mariadb-clients.cjs';
import { ROOT } from '../support/deployment/settings';
import { readOperations } from '../support/operations-document';
import { startTestMariadb, type TestServer } from '../support/servers';

// Backups and restorations of an external database, over a network that others may read.

const authority = privateAuthority('authority of the database');
const PASSWORD = 'of-the-backup';

let folder: string;
let mariadb: TestServer;
let store: Store;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batuta-backup-tls-'));
  mariadb = await startTestMariadb({ certificate: authority.issue(), binaryLog: true });
  store = await openStore({ url: mariadb.url, pool: 1 });
  await store.write('CREATE TABLE note (text VARCHAR(20))');
  await store.write("INSERT INTO note VALUES ('kept')");
  for (const sql of await statementsOfBackupUser()) await store.write(sql);
  await writeFile(join(folder, 'authorities.pem'), authority.cert);
  await writeFile(join(folder, 'others.pem'), privateAuthority('another authority').cert);
});
afterAll(async () => {
  await store?.close();
  await mariadb?.stop();
  await rm(folder, { recursive: true });
});

/** The statements of docs/operations.md that create the user for backups in a database with TLS. */
async function statementsOfBackupUser(): Promise<string[]> {
  const document = await readOperations();
  const [, block = ''] = /```sql\n([^`]*batuta_backup[^`]*)```/.exec(document) ?? [];
  const [withTls = ''] = /ALTER USER batuta_backup[^`]*/.exec(document) ?? [];
  const statements = `${block.replace(/'<[^']*>'/, `'${PASSWORD}'`)};${withTls}`.split(';').map((text) => text.trim());
  return statements.filter((text) => text !== '');
}

async function runScript(script: string, env: Record<string, string>, ...args: string[]): Promise<string> {
  const { port } = mariadb;
  const { stdout } = await promisify(execFile)('bash', [join(ROOT, 'k8s/backup', script), ...args], {
    env: { ...(await ensureMariadbClients()), DATABASE_HOST: '127.0.0.1', DATABASE_PORT: String(port), ...env },
  });
  return stdout;
}

const backUp = (env: Record<string, string>, kind = 'full') =>
  runScript('backup.sh', { DATABASE_USER: 'batuta_backup', DATABASE_PASSWORD: PASSWORD, ...env }, kind, folder);

const dumps = async () => (await readdir(folder)).filter((name) => name.endsWith('.sql.gz'));

test('the user of the backup cannot log in without TLS', async () => {
  const inClear = Object.assign(new URL(mariadb.url), { username: 'batuta_backup', password: PASSWORD }).href;
  await expect(openStore({ url: inClear, pool: 1 }, [], { waitMs: 0 })).rejects.toThrow(/Access denied/);
});

test('a backup is refused when the certificate of the database is of another authority', async () => {
  await expect(backUp({ DATABASE_SSL_CA: join(folder, 'others.pem') })).rejects.toThrow(/certificate/i);
  expect(await dumps()).toEqual([]);
});

test('a backup and a restoration use TLS when they know the authority of the database', async () => {
  const DATABASE_SSL_CA = join(folder, 'authorities.pem');
  expect(await backUp({ DATABASE_SSL_CA })).toContain('Backed up');
  await store.write("CREATE USER restore@'%' IDENTIFIED BY 'of-the-restoration' REQUIRE SSL");
  await store.write("GRANT ALL PRIVILEGES ON *.* TO restore@'%'");
  const restore = { DATABASE_USER: 'restore', DATABASE_PASSWORD: 'of-the-restoration', FORCE: 'yes' };
  const restoreTo = (moment: string, authorities: string) =>
    runScript('restore.sh', { ...restore, DATABASE_SSL_CA: authorities }, folder, moment);
  await expect(restoreTo('2099-01-01 00:00:00', join(folder, 'others.pem'))).rejects.toThrow(/certificate/i);
  const output = await restoreTo('2099-01-01 00:00:00', DATABASE_SSL_CA);
  expect(output).toContain('Restored.');
  expect(await store.rows('SELECT text FROM note')).toEqual([{ text: 'kept' }]);
});

test('the first backup of a new server leaves the backups of the old one in a folder of their own', async () => {
  const before = await dumps();
  expect(before).toHaveLength(1);
  await backUp({ DATABASE_SSL_CA: join(folder, 'authorities.pem') }, 'first');
  const [moved = ''] = (await readdir(folder)).filter((name) => name.startsWith('before-'));
  expect(await readdir(join(folder, moved))).toEqual(expect.arrayContaining([...before, 'binlog']));
  expect(await dumps()).toHaveLength(1);
  expect(await readdir(join(folder, 'binlog'))).toEqual([expect.stringMatching(/^binlog\.\d+$/)]);
});
