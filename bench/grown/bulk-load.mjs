import { availableParallelism, freemem } from 'node:os';

const GIGABYTE = 2 ** 30;
const MAX_BUFFER_POOL_BYTES = 4 * GIGABYTE;
const LOG_FILE_BYTES = 4 * GIGABYTE;
/** Number of connections that load tables at the same time. */
const CONCURRENT_LOADS = Math.min(2, availableParallelism());

/** Server options of a database that is loaded in bulk. The sort buffer serves only the creation of indexes. */
export const BULK_LOAD_OPTIONS = ['--innodb-sort-buffer-size=64M'];

/**
 * Runs `work` on a server with a large buffer pool and redo log and without a flush for each commit, and restores the settings
 * afterwards. That shrinks the redo log, for which the server writes all changed pages: no write of the load is left to disturb a measurement.
 */
export async function withBulkSettings(database, work) {
  const settings = {
    innodb_flush_log_at_trx_commit: 0,
    innodb_buffer_pool_size: Math.min(MAX_BUFFER_POOL_BYTES, Math.floor(freemem() / 4)),
    innodb_log_file_size: LOG_FILE_BYTES,
    innodb_io_capacity: 10_000,
    innodb_io_capacity_max: 20_000,
  };
  const names = Object.keys(settings);
  const [[before]] = await database.query(`SELECT ${names.map((name) => `@@GLOBAL.${name} AS ${name}`).join(', ')}`);
  await setGlobals(database, settings, names.toReversed());
  try {
    return await work();
  } finally {
    await setGlobals(database, before, names);
  }
}

/** Sets the variables in the order of `names`: the server limits `innodb_io_capacity` to the maximum that is set at that time. */
async function setGlobals(database, values, names) {
  for (const name of names) await database.query(`SET GLOBAL ${name} = ${Number(values[name])}`);
}

/**
 * Fills empty tables, some at the same time, and returns the number of rows. `inserts` = the INSERT statement of each table, by name, the
 * slowest first. A single INSERT into an empty table, without checks of keys, builds the pages in the order of the primary key and writes no
 * undo log. The other indexes are dropped before and built from sorted entries afterwards.
 */
export async function loadTables(database, inserts) {
  const left = Object.entries(inserts).values();
  const rows = await Promise.all(
    Array.from({ length: CONCURRENT_LOADS }, async () => {
      let loaded = 0;
      for (const [table, insert] of left) loaded += await onConnection(database, loadTable, table, insert);
      return loaded;
    }),
  );
  return rows.reduce((sum, loaded) => sum + loaded, 0);
}

async function onConnection(database, work, ...values) {
  const connection = await database.getConnection();
  try {
    await connection.query('SET unique_checks = 0, foreign_key_checks = 0');
    return await work(connection, ...values);
  } finally {
    connection.destroy();
  }
}

async function loadTable(connection, table, insert) {
  const [[{ 'Create Table': definition }]] = await connection.query(`SHOW CREATE TABLE ${table}`);
  const indexes = secondaryIndexes(definition);
  const alter = (changes) => connection.query(`ALTER TABLE ${table} ${changes.join(', ')}`);
  if (indexes.length > 0) await alter(indexes.map(({ name }) => `DROP KEY ${name}`));
  const [{ affectedRows }] = await connection.query(insert);
  if (indexes.length > 0) await alter(indexes.map((index) => `ADD ${index.definition}`));
  return affectedRows;
}

/** `{ name, definition }` of the indexes besides the primary key, as `SHOW CREATE TABLE` writes them. */
function secondaryIndexes(definition) {
  return [...definition.matchAll(/^ *((?:UNIQUE )?KEY (`[^`]+`) .*?),?$/gm)].map(([, text, name]) => ({
    name,
    definition: text,
  }));
}
