import { healthCheckStatementOf, optionsOf, readShipped, serversOf } from '../support/deployment/database-files';
import { MAX_CONNECTIONS } from '../support/deployment/wiring-rules';

const primary = optionsOf(readShipped('ops/replication/primary.cnf'));
const replica = optionsOf(readShipped('ops/replication/replica.cnf'));
const alone = optionsOf(readShipped('k8s/overlays/local/mariadb.cnf'));
const proxy = readShipped('ops/replication/haproxy.cfg');

/** The options that only one of the two roles has, or that have another value in each. */
const ROLE_OPTIONS = [
  'server-id',
  'rpl-semi-sync-master-enabled',
  'rpl-semi-sync-slave-enabled',
  'loose-init-rpl-role',
  'slave-net-timeout',
  'relay-log',
  'slave-parallel-threads',
];

test.each([
  ['primary', primary],
  ['replica', replica],
])('the %s has the options of the shipped MariaDB, and room for the connections of all replicas', (_role, options) => {
  const own = [...alone].filter(([name]) => name !== 'max-connections');
  expect(own.map(([name]) => [name, options.get(name)])).toEqual(own);
  expect(Number(options.get('max-connections'))).toBe(MAX_CONNECTIONS);
});

test('primary and replica differ in their roles alone, so that each can take over the role of the other', () => {
  const common = (options: Map<string, string>) => [...options].filter(([name]) => !ROLE_OPTIONS.includes(name));
  expect(common(primary)).toEqual(common(replica));
});

test('a server of the replication accepts no writes when it has started', () => {
  expect([primary.get('read-only'), replica.get('read-only')]).toEqual(['ON', 'ON']);
});

test('the check of the proxy of the replication sends a server the statement that its comment shows', () => {
  const comment = proxy.split('\n').map((line) => line.replace(/^ *# /, ''));
  expect(comment).toContain(healthCheckStatementOf(proxy));
});

test('the proxy of the replication gives every connection to one server', () => {
  expect(serversOf(proxy)).toEqual([
    ['mariadb-1', 'mariadb-1', undefined],
    ['mariadb-2', 'mariadb-2', ' backup'],
  ]);
});
