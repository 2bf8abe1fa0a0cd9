import { startGalera, type GaleraCluster } from '../../scripts/lib/galera.cjs';
import { privateAuthority } from '../../apps/agent/test/test-certificate';

let cluster: GaleraCluster;

beforeAll(async () => {
  const { key, cert } = privateAuthority('authority of the database').issue();
  cluster = await startGalera({ nodes: 2, certificate: { key, cert } });
});
afterAll(() => cluster?.stop());

test('a node that offers TLS and has lost its disk gets a copy of another node', async () => {
  const [, node] = cluster.nodes;
  if (!node) throw new Error('The cluster lacks a node');
  await node.end();
  await node.loseDisk();
  await node.start();
  await node.untilSynced(2);
  // Logs in as a user that the empty node did not have: it is part of the copy.
  expect(await node.isSynced(2)).toBe(true);
});
