import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { notifications } from '@batuta/contracts';
import { migrate } from '@batuta/database';
import { Rpc } from '@batuta/messaging';
import { createMigratedDatabase } from '../support/migrated-database';
import * as s from '../support/shape';
import { isRunning } from '../../scripts/lib/process-identity.cjs';
import { ensureBrowser, findHeadlessShell, startMariadb, startNats } from '../../scripts/lib/servers.cjs';
import { takeNatsUser, createTestDatabase, startTestMariadb, startTestNats } from '../support/servers';
import { waitUntil } from '../support/wait-until';

const ownedServersShape = s.list(s.object({ pid: s.number, identity: s.text(), dir: s.text() }));

async function runSql(url: string, sql: string): Promise<unknown> {
  const connection = await createConnection(url);
  try {
    const [rows] = await connection.query(sql);
    return rows;
  } finally {
    await connection.end();
  }
}

function acceptsConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

test('without a browser, and without apt to install one, the message says what to install and why apt could not', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'batuta-no-apt-'));
  await writeFile(join(folder, 'apt-get'), '#!/bin/sh\necho "E: no package chromium" >&2; exit 100\n', { mode: 0o755 });
  const { PATH } = process.env;
  process.env['PATH'] = `${folder}:${PATH}`;
  try {
    await expect(ensureBrowser({ find: () => undefined })).rejects.toThrow(
      'The tests need Chromium: on Debian apt-get install chromium (apt could not: E: no package chromium)',
    );
  } finally {
    process.env['PATH'] = PATH;
    await rm(folder, { recursive: true });
  }
});

test("Chromium's headless shell is taken from the folders of PATH in their order", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'batuta-shell-'));
  const program = join(folder, 'chromium-headless-shell');
  await writeFile(program, '', { mode: 0o755 });
  const { PATH } = process.env;
  process.env['PATH'] = `${folder}:${PATH}`;
  try {
    expect(findHeadlessShell()).toBe(program);
  } finally {
    process.env['PATH'] = PATH;
    await rm(folder, { recursive: true });
  }
});

test('databases of the tests of one run are separate', async () => {
  const [one, two] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  await runSql(one.url, 'CREATE TABLE only_here (id INT)');
  expect(await runSql(two.url, 'SHOW TABLES')).toEqual([]);
  await Promise.all([one.drop(), two.drop()]);
});

test('users of the NATS of one run receive no messages of each other', async () => {
  const urls = await Promise.all([takeNatsUser(), takeNatsUser()]);
  expect(urls[0]).not.toBe(urls[1]);
  const [one, two] = await Promise.all([Rpc.connect(urls[0], 'one'), Rpc.connect(urls[1], 'two')]);
  const seen: string[] = [];
  for (const client of [one, two]) {
    client.subscribe(notifications.work, ({ environmentID }) => seen.push(environmentID));
    expect(await client.ping()).toBe(true);
  }
  for (const [client, environmentID] of [[one, 'one'] as const, [two, 'two'] as const]) {
    client.notify(notifications.work, { environmentID });
    await waitUntil('the own message arrives', () => seen.includes(environmentID));
  }
  // A message that the server had sent to the other client too arrives before the answer to its ping.
  await Promise.all([one.ping(), two.ping()]);
  expect(seen).toEqual(['one', 'two']);
  await Promise.all([one.close(), two.close()]);
});

test('NATS serves its monitoring on a loopback port only when that is requested', async () => {
  const [monitored, usual] = await Promise.all([startNats({ monitor: true }), startNats()]);
  try {
    const answer = await fetch(`${monitored.monitorUrl}/varz`);
    expect(await answer.json()).toMatchObject({ port: monitored.port, in_msgs: expect.any(Number) });
    expect(new URL(monitored.monitorUrl ?? '').hostname).toBe('127.0.0.1');
    expect(usual.monitorUrl).toBeUndefined();
  } finally {
    await Promise.all([monitored.stop(), usual.stop()]);
  }
});

test('a copy of the migrated database has its tables and no migration pending', async () => {
  const [copied, migrated] = await Promise.all([createMigratedDatabase(), createTestDatabase()]);
  await migrate(migrated.url);
  const columns = `SELECT * FROM information_schema.columns WHERE table_schema = DATABASE() ORDER BY 3, 5`;
  const withoutSchema = (rows: unknown) => JSON.parse(JSON.stringify(rows).replaceAll(/"TABLE_SCHEMA":"\w+",/g, ''));
  expect(withoutSchema(await runSql(copied.url, columns))).toEqual(withoutSchema(await runSql(migrated.url, columns)));
  expect(await migrate(copied.url)).toEqual([]);
  await Promise.all([copied.drop(), migrated.drop()]);
});

test('servers start at the same time, each with its own port, folder and password', async () => {
  const servers = await Promise.all([startMariadb(), startMariadb(), startNats(), startNats()]);
  for (const trait of ['port', 'dir', 'password', 'pid'] as const) {
    expect(new Set(servers.map((server) => server[trait])).size).toBe(4);
  }
  await Promise.all(servers.map((server) => server.stop()));
  expect(servers.filter(({ pid, identity, dir }) => isRunning(pid, identity) || existsSync(dir))).toEqual([]);
});

test('a MariaDB for tests has its own folder for temporary tables', async () => {
  const mariadb = await startMariadb();
  expect(await runSql(mariadb.databaseUrl('mysql'), 'SELECT @@tmpdir AS folder')).toEqual([{ folder: mariadb.dir }]);
  await mariadb.stop();
});

test('a start does not mistake another server on the wished port for the new one', async () => {
  const [mariadb, nats] = await Promise.all([startMariadb(), startNats()]);
  const [otherMariadb, otherNats] = await Promise.all([
    startMariadb({ port: mariadb.port }),
    startNats({ port: nats.port }),
  ]);
  expect(otherMariadb.port).not.toBe(mariadb.port);
  expect(otherNats.port).not.toBe(nats.port);
  expect(await runSql(otherMariadb.databaseUrl('mysql'), 'SELECT @@datadir AS folder')).toEqual([
    { folder: expect.stringContaining(otherMariadb.dir) },
  ]);
  await Promise.all([mariadb, nats, otherMariadb, otherNats].map((server) => server.stop()));
});

test('data survive a kill -9 of their MariaDB, and a new MariaDB ends the one that a killed run left', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'batuta-stale-'));
  const killed = await startMariadb({ dir });
  await runSql(killed.databaseUrl('mysql'), 'CREATE DATABASE kept');
  killed.signal('SIGKILL');
  await killed.exited;

  const leftOver = await startMariadb({ dir });
  const current = await startMariadb({ dir });
  await leftOver.exited;
  expect(await runSql(current.databaseUrl('mysql'), "SHOW DATABASES LIKE 'kept'")).toHaveLength(1);
  await Promise.all([killed.stop(), leftOver.stop(), current.stop()]);
  await rm(dir, { recursive: true });
});

test('a kill -9 of the process that started servers for tests ends the servers and removes their throw-away folders', async () => {
  const owner = spawn(process.execPath, [join(__dirname, '..', 'support', 'servers-owner.cjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = await new Promise<string>((resolve) => {
    owner.stdout.setEncoding('utf8').once('data', resolve);
  });
  const servers = ownedServersShape.parse(JSON.parse(said));
  expect(servers.every(({ pid, identity }) => isRunning(pid, identity))).toBe(true);

  owner.kill('SIGKILL');
  await waitUntil('the servers and their folders are gone', () =>
    servers.every(({ pid, identity, dir }) => !isRunning(pid, identity) && !existsSync(dir)),
  );
});

test.each([
  ['NATS', startTestNats],
  ['MariaDB', startTestMariadb],
])('%s can be killed and restarted at the same address', async (_name, start) => {
  const server = await start();
  expect(await acceptsConnections(server.port)).toBe(true);
  await server.kill();
  expect(await acceptsConnections(server.port)).toBe(false);
  await server.startAgain();
  expect(await acceptsConnections(server.port)).toBe(true);
  await server.stop();
});
