import type { MigrationInterface, QueryRunner } from 'typeorm';

const BITE_ROWS = 1_000;
/** The tables whose rows outlive the run of their instance. */
const TABLES = ['instance_input', 'instance_values'] as const;

/**
 * Sets `has_log` for ended instances that have values and no log lines, as every end does now: retention deletes the values of marked instances
 * only. Earlier versions of execution left these instances unmarked, and so does a service of the previous release that still runs after this migration: the
 * values of the few instances that it ends are kept as long as the instances.
 */
export class KeptValues0032 implements MigrationInterface {
  readonly name = 'KeptValues1700000000032';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await markEnded(runner, table);
  }

  async down(): Promise<void> {
    throw new Error('Migrations are only added');
  }
}

/** Reads the ids without locks, so that a bite locks only the instances that it marks. */
async function markEnded(runner: QueryRunner, table: (typeof TABLES)[number]): Promise<void> {
  for (let last: string | undefined = ''; last !== undefined;) {
    const rows: { instance_id: string }[] = await runner.query(
      `SELECT instance_id FROM ${table} WHERE instance_id > ? ORDER BY instance_id LIMIT ${BITE_ROWS}`,
      [last],
    );
    last = rows.at(-1)?.instance_id;
    if (last === undefined) return;
    await runner.query(
      'UPDATE instance SET has_log = 1 WHERE instance_id IN (?) AND finished_at IS NOT NULL AND has_log = 0',
      [rows.map((row) => row.instance_id)],
    );
  }
}
