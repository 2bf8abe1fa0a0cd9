import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import * as s from '../support/shape';
import { isRunning } from '../../scripts/lib/process-identity.cjs';
import { startMariadb, startNats } from '../../scripts/lib/servers.cjs';
import { createTestDatabase, startTestMariadb, startTestNats } from '../support/servers';
import { waitUntil } from '../support/wait-until';

const ownedServers = s.list(s.object({ pid: s.number, identity: s.text(), dir: s.text() }));

async function run(url: string, sql: string): Promise<unknown> {
  const connection = await createConnection(url);
  try {
    const [rows] = await connection.query(sql);
    return rows;
  } finally {
    await connection.end();
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

test('databases of one run know nothing of each other', async () => {
  const [one, two] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  await run(one.url, 'CREATE TABLE only_here (id INT)');
  expect(await run(two.url, 'SHOW TABLES')).toEqual([]);
  await Promise.all([one.drop(), two.drop()]);
});

test('servers start side by side, each with a port, a folder and a password of its own', async () => {
  const servers = await Promise.all([startMariadb(), startMariadb(), startNats(), startNats()]);
  for (const trait of ['port', 'dir', 'password', 'pid'] as const) {
    expect(new Set(servers.map((server) => server[trait])).size).toBe(4);
  }
  await Promise.all(servers.map((server) => server.stop()));
  expect(servers.filter(({ pid, identity, dir }) => isRunning(pid, identity) || existsSync(dir))).toEqual([]);
});

test('a server keeps its temporary tables to itself', async () => {
  const mariadb = await startMariadb();
  expect(await run(mariadb.databaseUrl('mysql'), 'SELECT @@tmpdir AS folder')).toEqual([{ folder: mariadb.dir }]);
  await mariadb.stop();
});

test('a server never takes another one on its wished port for its own', async () => {
  const [mariadb, nats] = await Promise.all([startMariadb(), startNats()]);
  const [otherMariadb, otherNats] = await Promise.all([
    startMariadb({ port: mariadb.port }),
    startNats({ port: nats.port }),
  ]);
  expect(otherMariadb.port).not.toBe(mariadb.port);
  expect(otherNats.port).not.toBe(nats.port);
  expect(await run(otherMariadb.databaseUrl('mysql'), 'SELECT @@datadir AS folder')).toEqual([
    { folder: expect.stringContaining(otherMariadb.dir) },
  ]);
  await Promise.all([mariadb, nats, otherMariadb, otherNats].map((server) => server.stop()));
});

test('data survive the kill -9 of their server, and a left-over server makes room for the new one', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'batuta-stale-'));
  const killed = await startMariadb({ dir });
  await run(killed.databaseUrl('mysql'), 'CREATE DATABASE kept');
  killed.signal('SIGKILL');
  await killed.exited;

  const leftOver = await startMariadb({ dir });
  const current = await startMariadb({ dir });
  await leftOver.exited;
  expect(await run(current.databaseUrl('mysql'), "SHOW DATABASES LIKE 'kept'")).toHaveLength(1);
  await Promise.all([killed.stop(), leftOver.stop(), current.stop()]);
  await rm(dir, { recursive: true });
});

test('the kill -9 of their owner takes servers and their throw-away folders along', async () => {
  const owner = spawn(process.execPath, [join(__dirname, '..', 'support', 'servers-owner.cjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = await new Promise<string>((resolve) => {
    owner.stdout.setEncoding('utf8').once('data', resolve);
  });
  const servers = ownedServers.parse(JSON.parse(said));
  expect(servers.every(({ pid, identity }) => isRunning(pid, identity))).toBe(true);

  owner.kill('SIGKILL');
  await waitUntil('the servers and their folders are gone', () =>
    servers.every(({ pid, identity, dir }) => !isRunning(pid, identity) && !existsSync(dir)),
  );
});

test.each([
  ['NATS', startTestNats],
  ['MariaDB', startTestMariadb],
])('%s can be taken away and comes back at the same address', async (_name, start) => {
  const server = await start();
  expect(await accepts(server.port)).toBe(true);
  await server.takeAway();
  expect(await accepts(server.port)).toBe(false);
  await server.bringBack();
  expect(await accepts(server.port)).toBe(true);
  await server.stop();
});
