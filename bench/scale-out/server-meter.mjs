import { setTimeout as sleep } from 'node:timers/promises';
import { countWaits } from './lock-waits.cjs';

/** Interval of the samples: InnoDB refreshes its tables of transactions and locks at most ten times a second. */
const SAMPLE_INTERVAL_MS = 100;
const STATUS_VARIABLES = {
  lockWaits: 'Innodb_row_lock_waits',
  lockMs: 'Innodb_row_lock_time',
  deadlocks: 'Innodb_deadlocks',
  commits: 'Com_commit',
  logWrites: 'Innodb_log_writes',
  statements: 'Queries',
};
const NATS_VARIABLES = {
  natsReceived: 'in_msgs',
  natsSent: 'out_msgs',
  natsReceivedBytes: 'in_bytes',
  natsSentBytes: 'out_bytes',
};
const LOCK_WAITS = `SELECT t.trx_query AS text, l.lock_table AS lockTable, l.lock_index AS lockIndex, l.lock_mode AS mode
  FROM information_schema.INNODB_TRX t JOIN information_schema.INNODB_LOCKS l ON l.lock_id = t.trx_requested_lock_id
 WHERE t.trx_state = 'LOCK WAIT'`;

/** Measures by how much counters of MariaDB and NATS grow during the calls of `during`, of all connections to these servers. */
export class ServerMeter {
  /** The statements that waited for a lock of a row when a sample was taken, see `countWaits`. */
  #waits = [];
  #counted = {};
  #samples = 0;
  #servers;

  constructor(servers) {
    this.#servers = servers;
  }

  /** Runs `work` and resolves to its result. */
  async during(work) {
    const ended = new AbortController();
    const before = await readCounters(this.#servers);
    const sampling = this.#sample(ended.signal);
    const result = await work().finally(() => ended.abort());
    const after = await readCounters(this.#servers);
    await sampling;
    for (const [name, value] of Object.entries(after))
      this.#counted[name] = (this.#counted[name] ?? 0) + value - before[name];
    return result;
  }

  /** The growth of each counter, by its name in STATUS_VARIABLES and NATS_VARIABLES, divided by this number of starts. */
  perStart(starts) {
    return Object.fromEntries(Object.entries(this.#counted).map(([name, value]) => [name, value / starts]));
  }

  /** The lock waits by statement and lock, with the mean number of statements that waited at the same time. */
  get waits() {
    return countWaits(this.#waits, this.#samples);
  }

  async #sample(ended) {
    while (!ended.aborted) {
      const [rows] = await this.#servers.database.query(LOCK_WAITS);
      this.#waits.push(...rows);
      this.#samples += 1;
      await sleep(SAMPLE_INTERVAL_MS, undefined, { signal: ended }).catch(() => {});
    }
  }
}

async function readCounters({ database, nats }) {
  const [rows] = await database.query('SHOW GLOBAL STATUS WHERE Variable_name IN (?)', [
    Object.values(STATUS_VARIABLES),
  ]);
  const status = Object.fromEntries(rows.map(({ Variable_name: name, Value }) => [name, Number(Value)]));
  const varz = await (await fetch(`${nats.monitorUrl}/varz`)).json();
  return { ...pick(status, STATUS_VARIABLES), ...pick(varz, NATS_VARIABLES) };
}

const pick = (values, names) => Object.fromEntries(Object.entries(names).map(([name, from]) => [name, values[from]]));
