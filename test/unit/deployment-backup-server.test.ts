import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openStore, type Store } from '@batuta/database';
import { ensureMariadbClients } from '../../scripts/lib/mariadb-clients.cjs';
import { ROOT } from '../support/deployment/settings';
import { startTestMariadb, type TestServer } from '../support/servers';
import { waitUntil } from '../support/wait-until';

// The backups of a database whose server is replaced by another one, such as the promoted replica or a new copy of a node.

interface Server {
  mariadb: TestServer;
  store: Store;
}

const servers: Server[] = [];
let folder: string;
/** The server that is replaced, and the server that replaces it. */
let before: Server;
let after: Server;

async function startServer(): Promise<Server> {
  const mariadb = await startTestMariadb({ binaryLog: true });
  const store = await openStore({ url: mariadb.url, pool: 1 });
  await store.write('CREATE TABLE note (text VARCHAR(20))');
  const server = { mariadb, store };
  servers.push(server);
  return server;
}

beforeAll(async () => {
  [before, after] = await Promise.all([startServer(), startServer()]);
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batuta-backup-server-'));
});
afterEach(() => rm(folder, { recursive: true }));
afterAll(async () => {
  for (const { mariadb, store } of servers) {
    await store.close();
    await mariadb.stop();
  }
});

async function backUp({ mariadb }: Server, kind: string): Promise<string> {
  const { port, username, password } = new URL(mariadb.url);
  const env = {
    ...(await ensureMariadbClients()),
    DATABASE_HOST: '127.0.0.1',
    DATABASE_PORT: port,
    DATABASE_USER: username,
    DATABASE_PASSWORD: decodeURIComponent(password),
  };
  const { stdout } = await promisify(execFile)('bash', [join(ROOT, 'k8s/backup/backup.sh'), kind, folder], { env });
  return stdout;
}

const beginLog = ({ store }: Server) => store.write('FLUSH BINARY LOGS');
const writeNote = ({ store }: Server) => store.write("INSERT INTO note VALUES ('a note')");

async function logOf({ store }: Server): Promise<string> {
  return (await store.row<{ File: string }>('SHOW MASTER STATUS'))?.File ?? '';
}

/** Begins new logs until the last log of the server has at least this name. */
async function reachLog(server: Server, name: string): Promise<void> {
  while ((await logOf(server)) < name) await beginLog(server);
}

async function copiedLogs(): Promise<Record<string, string>> {
  const names = await readdir(join(folder, 'binlog'));
  const contents = names.map((name) => readFile(join(folder, 'binlog', name), 'base64'));
  return Object.fromEntries((await Promise.all(contents)).map((content, index) => [names[index], content]));
}

const allFiles = async () => ({ names: (await readdir(folder)).toSorted(), logs: await copiedLogs() });

test('a binary log that has grown since its copy, also when it has ended, is copied again', async () => {
  await backUp(before, 'full');
  const log = await logOf(before);
  const { [log]: copy = '' } = await copiedLogs();
  await writeNote(before);
  await beginLog(before);
  expect(await backUp(before, 'logs')).toContain('Backed up');
  const { [log]: grown = '' } = await copiedLogs();
  expect(grown.length).toBeGreaterThan(copy.length);
});

test('a binary log of another server does not replace the copy of the same name', async () => {
  await reachLog(before, await logOf(after));
  await reachLog(after, await logOf(before));
  await backUp(before, 'full');
  const files = await allFiles();
  await expect(backUp(after, 'logs')).rejects.toThrow('run "backup.sh first"');
  await expect(backUp(after, 'full')).rejects.toThrow('run "backup.sh first"');
  expect(await allFiles()).toEqual(files);
});

test('a server whose binary logs have earlier names than the copies needs backups of its own', async () => {
  const last = await logOf(after);
  do await beginLog(before);
  while ((await logOf(before)) <= last);
  await backUp(before, 'full');
  const files = await allFiles();
  await expect(backUp(after, 'full')).rejects.toThrow('run "backup.sh first"');
  expect(await allFiles()).toEqual(files);
  expect(await backUp(after, 'first')).toContain(`binary logs up to ${folder}/binlog/${last}`);
});

test('backups of a new server leave the earlier ones where they are when the new server makes no dump', async () => {
  await backUp(before, 'full');
  const files = await allFiles();
  const { href } = Object.assign(new URL(after.mariadb.url), { password: 'wrong' });
  await expect(backUp({ ...after, mariadb: { ...after.mariadb, url: href } }, 'first')).rejects.toThrow(
    'Access denied',
  );
  const left = await allFiles();
  expect({ ...left, names: left.names.filter((name) => !name.endsWith('.partial')) }).toEqual(files);
});

test('backups of a new server leave the earlier ones where they are when another backup has removed their dump', async () => {
  await backUp(before, 'full');
  const files = await allFiles();
  // The lock makes the backup wait before it looks for its dump.
  const lock = spawn('flock', [join(folder, 'binlog.lock'), 'sh', '-c', 'echo locked; cat'], { stdio: 'pipe' });
  await once(lock.stdout, 'data');
  const refusal = backUp(after, 'first').catch(String);
  await waitUntil('the dump has bytes', async () => {
    const names = (await readdir(folder)).filter((name) => name.endsWith('.partial'));
    const [partial] = names.map((name) => join(folder, name));
    // While the file is empty, gzip may not have opened it, and would make it again.
    if (!partial || (await stat(partial)).size === 0) return false;
    await rm(partial);
    return true;
  });
  lock.stdin.end();
  expect(await refusal).toContain('Another backup removed this dump');
  expect(await allFiles()).toEqual(files);
});

test('the password of the backup may have any characters', async () => {
  const password = `a\\n"#b'$ c\\`;
  await before.store.write("CREATE USER any@'%' IDENTIFIED BY ?", [password]);
  await before.store.write("GRANT ALL PRIVILEGES ON *.* TO any@'%'");
  const { href } = Object.assign(new URL(before.mariadb.url), {
    username: 'any',
    password: encodeURIComponent(password),
  });
  expect(await backUp({ ...before, mariadb: { ...before.mariadb, url: href } }, 'full')).toContain('Backed up');
});
