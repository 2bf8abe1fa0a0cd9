import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensureServers } from '../../scripts/lib/servers.cjs';
import { healthCheckStatementOf, optionsOf, readShipped, serversOf } from '../support/deployment/database-files';
import { MAX_CONNECTIONS } from '../support/deployment/wiring-rules';

const ROOT = join(__dirname, '..', '..');
const galera = optionsOf(readShipped('ops/galera/galera.cnf'));
const shippedOptions = optionsOf(readShipped('k8s/overlays/local/mariadb.cnf'));
const proxy = readShipped('ops/galera/haproxy.cfg');

test('a node of the cluster has the options of the shipped MariaDB, and room for the connections of all replicas', () => {
  const own = [...shippedOptions].filter(([name]) => name !== 'max-connections');
  expect(own.map(([name]) => [name, galera.get(name)])).toEqual(own);
  expect(Number(galera.get('max-connections'))).toBe(MAX_CONNECTIONS);
});

test('the check of the proxy of the cluster sends a node the statement that its comment shows', () => {
  const comment = proxy.replaceAll(/\n {2}# (WHERE)/g, ' $1').split('\n');
  expect(comment.map((line) => line.replace(/^ *# /, ''))).toContain(healthCheckStatementOf(proxy));
});

test('the proxy of the cluster gives every connection to one node, and names the nodes', () => {
  expect(serversOf(proxy)).toEqual([
    ['galera-1', 'galera-1', undefined],
    ['galera-2', 'galera-2', ' backup'],
    ['galera-3', 'galera-3', ' backup'],
  ]);
  expect(galera.get('wsrep-cluster-address')).toBe('gcomm://galera-1,galera-2,galera-3');
});

test('nodes that exclude a silent node wait for each other as long as Galera allows, and longer than a node may be silent', () => {
  const provider = galera.get('wsrep-provider-options') ?? '';
  const seconds = (name: string) => Number(new RegExp(`${name}=PT([\\d.]+)S`).exec(provider)?.[1]);
  expect(seconds('evs.install_timeout')).toBeGreaterThan(seconds('evs.suspect_timeout'));
  expect(seconds('evs.install_timeout')).toBe(seconds('evs.inactive_timeout'));
});

/** The settings of `/etc/mysql/mariadb.conf.d/50-server.cnf` in Debian 12. */
const SETTINGS_OF_DEBIAN = `
[server]
[mysqld]
pid-file = /run/mysqld/mysqld.pid
basedir = /usr
bind-address = 127.0.0.1
expire_logs_days = 10
character-set-server = utf8mb4
collation-server = utf8mb4_general_ci
[embedded]
[mariadb]
[mariadb-10.11]
`;

test('the options of a node override the settings of Debian, and other machines can reach the node', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'batuta-galera-files-'));
  const files = join(folder, 'mariadb.conf.d');
  await mkdir(files);
  await writeFile(join(files, '50-server.cnf'), SETTINGS_OF_DEBIAN);
  await copyFile(join(ROOT, 'ops/galera/galera.cnf'), join(files, '99-galera.cnf'));
  await writeFile(join(folder, 'my.cnf'), `!includedir ${files}\n`);
  const { mariadbd } = await ensureServers();
  const args = [`--defaults-file=${join(folder, 'my.cnf')}`, '--print-defaults'];
  const { stdout } = await promisify(execFile)(mariadbd, args);
  // When an option occurs more than once, its last value applies.
  const options = new Map(
    [...stdout.matchAll(/--([a-z_-]+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]),
  );
  expect(options.get('bind-address')).toBe('0.0.0.0');
  for (const [name, value] of galera)
    expect([name, options.get(name)]).toEqual([name, value.split(' ')[0]?.replace('"', '')]);
  await rm(folder, { recursive: true });
});
