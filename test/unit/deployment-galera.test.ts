import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const optionsOf = (text: string) =>
  new Map([...text.matchAll(/^([a-z-]+) = (.+)$/gm)].map(([, name = '', value = '']) => [name, value]));

const galera = optionsOf(read('ops/galera/galera.cnf'));
const alone = optionsOf(read('k8s/overlays/local/mariadb.cnf'));
const proxy = read('ops/galera/haproxy.cfg');

test('a node of the cluster has the options of the shipped MariaDB, and room for the connections of all replicas', () => {
  const own = [...alone].filter(([name]) => name !== 'max-connections');
  expect(own.map(([name]) => [name, galera.get(name)])).toEqual(own);
  expect(Number(galera.get('max-connections'))).toBe(450);
});

test('the proxy asks a node for what its comment says', () => {
  const [, sent = ''] = [...proxy.matchAll(/send-binary ([0-9a-f]+)/g)].map(([, hex = '']) => Buffer.from(hex, 'hex'));
  const packet = Buffer.from(sent);
  expect(packet.readUIntLE(0, 3)).toBe(packet.length - 4);
  const statement = packet.subarray(5).toString();
  const comment = proxy.replaceAll(/\n {2}# (WHERE)/g, ' $1').split('\n');
  expect(comment.map((line) => line.replace(/^ *# /, ''))).toContain(statement);
});

test('the proxy gives every connection to one node, and names the nodes of the cluster', () => {
  const servers = [...proxy.matchAll(/^ {2}server (\S+) (\S+):3306 check( backup)?$/gm)];
  expect(servers.map(([, name, host, backup]) => [name, host, backup])).toEqual([
    ['galera-1', 'galera-1', undefined],
    ['galera-2', 'galera-2', ' backup'],
    ['galera-3', 'galera-3', ' backup'],
  ]);
  expect(galera.get('wsrep-cluster-address')).toBe('gcomm://galera-1,galera-2,galera-3');
});
