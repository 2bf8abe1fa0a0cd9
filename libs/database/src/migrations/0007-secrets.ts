import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ID_TYPE, TABLE_OPTIONS, TIME_TYPE } from './types';

/** Versions per statement; few, because a flow may have a megabyte. */
const VERSIONS_PER_PAGE = 20;
/** A reference to a vault key in the JSON text of a flow; the group is the key. */
const VAULT_REFERENCE = /\{vault\.([A-Za-z0-9_.-]{1,80})\}/g;

interface VersionRow {
  version_id: string;
  process_id: string;
  flow: string;
}

/**
 * The vault keys that each process may use, and the answers of processes that contain secrets. Every statement can run again,
 * because a migration that was interrupted is repeated.
 */
export class Secrets0007 implements MigrationInterface {
  readonly name = 'Secrets1700000000007';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
    await allowKeysOfVersions(runner);
  }

  async down(): Promise<void> {
    throw new Error('Migrations are only added');
  }
}

const STATEMENTS = [
  // Only the console service writes this table.
  `CREATE TABLE IF NOT EXISTS process_vault_key (
    process_id ${ID_TYPE} NOT NULL,
    vault_key varchar(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    PRIMARY KEY (process_id, vault_key)
  ) ${TABLE_OPTIONS}`,
  // One row for each answer with sensitive values: `masked` is the body as it is shown; `sealed` is the body as the process made
  // it, and null once no caller can still wait. Such an answer has a null body in `instance_answer`, so that a previous release treats the
  // answer as invalid and does not send the masked body to a waiting caller.
  `CREATE TABLE IF NOT EXISTS instance_secret_answer (
    instance_id ${ID_TYPE} NOT NULL PRIMARY KEY,
    masked mediumtext NOT NULL,
    sealed longblob NULL,
    sealed_at ${TIME_TYPE} NULL,
    KEY instance_secret_answer_sealed (sealed_at)
  ) ${TABLE_OPTIONS}`,
];

/** Allows each process the keys to which its published versions refer, so that existing processes continue to run. */
async function allowKeysOfVersions(runner: QueryRunner): Promise<void> {
  let last = '';
  for (;;) {
    const versions: VersionRow[] = await runner.query(
      `SELECT version_id, process_id, flow FROM process_version
        WHERE version_id > ? AND flow LIKE '%{vault.%' ORDER BY version_id LIMIT ${VERSIONS_PER_PAGE}`,
      [last],
    );
    for (const { process_id, flow } of versions) {
      const keys = new Set(Array.from(flow.matchAll(VAULT_REFERENCE), ([, key = '']) => key));
      for (const key of keys) {
        await runner.query('INSERT IGNORE INTO process_vault_key (process_id, vault_key) VALUES (?, ?)', [
          process_id,
          key,
        ]);
      }
    }
    if (versions.length < VERSIONS_PER_PAGE) return;
    last = versions.at(-1)?.version_id ?? '';
  }
}
