import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { withoutValues } from '../sql-text.cjs';

/**
 * Reads the statements that a server runs, and the rows that each of them reads, from the server's slow log. The threshold is zero, so that the
 * log has every statement. Call `prepare` before the services connect, because a session keeps the settings with which it began.
 */
export class StatementLog {
  #database;
  #file;

  constructor(database, folder) {
    this.#database = database;
    this.#file = join(folder, 'statements.log');
  }

  /** Sets up the log, which stays empty except within `recordDuring`. */
  async prepare() {
    const file = this.#database.escape(this.#file);
    for (const setting of ["log_output = 'NONE'", `slow_query_log_file = ${file}`, 'long_query_time = 0']) {
      await this.#database.query(`SET GLOBAL ${setting}`);
    }
    await this.#database.query("SET GLOBAL log_slow_verbosity = 'query_plan,explain'");
    await this.#database.query('SET GLOBAL slow_query_log = 1');
  }

  /** The statements that the server ran during `work`, on all connections, by their text without values: see `byText`. */
  async recordDuring(work) {
    const before = await this.#size();
    await this.#database.query("SET GLOBAL log_output = 'FILE'");
    try {
      await work();
    } finally {
      await this.#database.query("SET GLOBAL log_output = 'NONE'");
    }
    return byText(readEntries(await this.#readFrom(before)));
  }

  async #size() {
    const file = await open(this.#file, 'a');
    const { size } = await file.stat();
    await file.close();
    return size;
  }

  async #readFrom(start) {
    const file = await open(this.#file);
    const { size } = await file.stat();
    const { buffer } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
    await file.close();
    return buffer.toString('latin1');
  }
}

/** `{ text, rows, plan }` of each entry: rows read, and the lines of the plan. */
function readEntries(log) {
  return log
    .split(/^# User@Host: .*\n/m)
    .slice(1)
    .flatMap((entry) => {
      const rows = Number(/Rows_examined: (\d+)/.exec(entry)?.[1] ?? 0);
      const plan = [...entry.matchAll(/^# explain: (.*)$/gm)].map(([, line]) => line).slice(1);
      const sql = entry.replaceAll(/^(#.*|SET timestamp=.*|use .*)\n/gm, '');
      const text = withoutValues(sql.replaceAll(/^# Time: .*$/gm, ''));
      return text.startsWith('SET GLOBAL') ? [] : [{ text, rows, plan }];
    });
}

/** By text of the statement: the number of executions, the rows that all of them read, and the most rows of a single one with its plan. */
function byText(entries) {
  const statements = new Map();
  for (const { text, rows, plan } of entries) {
    const found = statements.get(text) ?? { times: 0, rows: 0, most: -1, plan: [] };
    statements.set(text, found);
    found.times += 1;
    found.rows += rows;
    if (rows > found.most) Object.assign(found, { most: rows, plan });
  }
  return statements;
}
