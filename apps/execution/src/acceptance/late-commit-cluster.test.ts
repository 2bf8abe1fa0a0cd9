import { openStore, type Store } from '@batuta/database';
import { startGalera, type GaleraCluster } from '../../../../scripts/lib/galera.cjs';
import { waitUntil } from '../../../../test/support/wait-until';
import { startRequest } from '../../test/world';
import { preventStart } from './acceptance.repository';

let cluster: GaleraCluster;
const stores: Store[] = [];

beforeAll(async () => {
  cluster = await startGalera({ nodes: 2 });
  const { user, password, database } = cluster;
  for (const { port } of cluster.nodes) {
    const url = `mysql://${user}:${password}@127.0.0.1:${port}/${database}`;
    stores.push(await openStore({ url, pool: 2, statementMs: 60_000 }));
  }
});
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await cluster?.stop();
});

const SITE = { companyID: 'c', ownerID: 'o', environmentID: 'e', processID: 'p', versionID: 'v' };

test('in a cluster, a start that was prevented at one node can no longer be committed at another', async () => {
  const [here, there] = stores;
  if (!here || !there) throw new Error('The cluster lacks a node');
  await here.write('CREATE TABLE instance_input (instance_id char(36) NOT NULL PRIMARY KEY, sealed blob NOT NULL)');
  const rows = (store: Store) => store.rows('SELECT * FROM instance_input');
  await waitUntil('the other node has the table', async () => (await rows(there)).length === 0);

  const request = startRequest(SITE);
  let attempts = 0;
  const late = here.transaction(async (tx) => {
    attempts += 1;
    // The server has refused the certification of the first run, and the transaction is repeated. The error ends the
    // second run, because a real start would be past its deadline by then.
    if (attempts > 1) throw new Error('rolled back');
    await tx.write("INSERT INTO instance_input VALUES (?, 'late')", [request.instanceID]);
    await preventStart(there, request);
  });
  await expect(late).rejects.toThrow('rolled back');
  for (const store of stores) expect(await rows(store)).toEqual([]);
});
