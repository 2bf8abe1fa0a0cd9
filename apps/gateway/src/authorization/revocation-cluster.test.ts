import { hashSecret } from '@batuta/auth';
import { accessAnswers } from '@batuta/catalog';
import { openStore, type Store } from '@batuta/database';
import { createConnection, type Connection } from 'mysql2/promise';
import { startGalera, type GaleraCluster } from '../../../../scripts/lib/galera.cjs';
import { createCurrentSchema } from '../../../../test/support/migrated-database';
import { TestRegistry } from '../../test/registry';

let cluster: GaleraCluster;
let urls: string[];
const stores: Store[] = [];

beforeAll(async () => {
  cluster = await startGalera({ nodes: 2 });
  const { user, password, database, nodes } = cluster;
  urls = nodes.map(({ port }) => `mysql://${user}:${password}@127.0.0.1:${port}/${database}`);
  for (const url of urls) {
    const connection = await createConnection(url);
    // The nodes then behave as in a cluster without the shipped settings.
    await connection.query('SET GLOBAL wsrep_sync_wait = 0');
    connection.destroy();
    stores.push(await openStore({ url, pool: 2, statementMs: 60_000 }));
  }
  await createCurrentSchema(urls[0] ?? '');
});
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await cluster?.stop();
});

/** Runs `work` while the node applies no commit of the other node; `end` lets the node apply them. */
async function whileBehind(url: string, work: (node: Connection, end: () => Promise<unknown>) => Promise<void>) {
  const [holder, node] = [await createConnection(url), await createConnection(url)];
  try {
    await holder.query('FLUSH TABLES WITH READ LOCK');
    await work(node, () => holder.query('UNLOCK TABLES'));
  } finally {
    holder.destroy();
    node.destroy();
  }
}

test('a credential and a key that are revoked at one node are refused at once at a node that has not yet applied it', async () => {
  const [here, there] = stores;
  if (!here || !there) throw new Error('The cluster lacks a node');
  const registry = new TestRegistry(here);
  const account = await registry.addAccount();
  const processID = await registry.addProcess(account);
  const { credentialID } = await registry.addCredential(account.accountID);
  const key = await registry.addKey(processID);
  const question = { credentialID, reach: { processID, keyHash: hashSecret(key) } };
  const isRevoked = async () => {
    const [answer] = await accessAnswers(there, [question]);
    return [answer?.caller.revoked, answer?.access?.key?.revoked];
  };
  expect(await isRevoked()).toEqual([false, false]);
  await whileBehind(urls[1] ?? '', async (node, end) => {
    await here.write('UPDATE credential SET revoked_at = UTC_TIMESTAMP(3) WHERE credential_id = ?', [credentialID]);
    await here.write('UPDATE process_key SET revoked_at = UTC_TIMESTAMP(3) WHERE process_id = ?', [processID]);
    const decided = isRevoked();
    // The node is behind: a connection that does not wait reads what was valid before.
    const [rows] = await node.query('SELECT revoked_at AS at FROM credential WHERE credential_id = ?', [credentialID]);
    expect(rows).toEqual([{ at: null }]);
    await end();
    expect(await decided).toEqual([true, true]);
  });
});
