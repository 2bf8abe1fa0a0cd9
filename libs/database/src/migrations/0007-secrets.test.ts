import { createTestDatabase } from '../../../../test/support/servers';
import { openDataSource } from '../data-source';
import { migrate } from '../migrate';
import { Secrets0007 } from './0007-secrets';

const flowWithUrls = (...texts: string[]) =>
  JSON.stringify({ start: 'a', steps: texts.map((url) => ({ type: 'rest', url })) });

test('the migration allows each process the vault keys of its versions, and can be repeated after a cut', async () => {
  const database = await createTestDatabase();
  await migrate(database.url);
  const { source } = await openDataSource({ url: database.url, pool: 2 });
  const versions = [
    [
      'p1',
      1,
      flowWithUrls('http://x/{vault.TOKEN}', '{"a": "{vault.db.password-1}"}', '{{vault.TOKEN}} {vault.a b} {vault.}'),
    ],
    ['p1', 2, flowWithUrls('{vault.NEW}')],
    ['p2', 1, flowWithUrls('{matrix.total}')],
    ...Array.from({ length: 50 }, (_, n) => [`q${n}`, 1, flowWithUrls(`{vault.K${n}}`)]),
  ];
  const rows = versions.map(([processID, version, text], n) => [
    `v${n}`,
    processID,
    version,
    text,
    '[]',
    'o',
    new Date(),
  ]);
  const columns = 'version_id, process_id, version, flow, mappings, published_by, published_at';
  await source.query(`INSERT INTO process_version (${columns}) VALUES ?`, [rows]);
  const runner = source.createQueryRunner();
  await new Secrets0007().up(runner);
  await runner.query("DELETE FROM process_vault_key WHERE vault_key = 'TOKEN'");
  await new Secrets0007().up(runner);
  await runner.release();
  const allowed = await source.query(
    'SELECT process_id, vault_key FROM process_vault_key ORDER BY process_id, vault_key',
  );
  expect(allowed).toHaveLength(53);
  expect(allowed.slice(0, 4)).toEqual([
    { process_id: 'p1', vault_key: 'NEW' },
    { process_id: 'p1', vault_key: 'TOKEN' },
    { process_id: 'p1', vault_key: 'db.password-1' },
    { process_id: 'q0', vault_key: 'K0' },
  ]);
  await source.destroy();
  await database.drop();
});
