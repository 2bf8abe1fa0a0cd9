import { startOf } from './requests.mjs';

/** The rows count as final when their number has not grown for this time. */
const QUIET_MS = 300;

/** A load generator that adds up its requests to one address, the gateway, so that they can be compared with the rows of the database. */
export class CountedLoad {
  totals = { ok: 0, sent: 0, wrong: 0 };
  #generator;
  #url;

  constructor(generator, url) {
    this.#generator = generator;
    this.#url = url;
  }

  async measure(order) {
    const measured = await this.#generator.measure(order);
    if (order.url === this.#url) this.add(measured);
    return measured;
  }

  /** Adds requests that something else has sent. */
  add({ ok, sent, wrong }) {
    this.totals.ok += ok;
    this.totals.sent += sent;
    this.totals.wrong += wrong;
  }
}

/**
 * Compares the rows of the database with the answers to the load. For the measurements only bounds are compared, because their end aborts
 * requests in flight; for `exactStarts` further starts, which it sends, the numbers must be equal. `faults` has a sentence for each difference.
 */
export async function compareRowsWithAnswers({ load, url, single, database, options: { exactStarts } }) {
  const before = await countWhenQuiet(database);
  const faults = findFaults(before, load.totals);
  const order = { url, requests: [startOf(single, single.queued)], connections: 10, amount: exactStarts };
  const { ok } = await load.measure(order);
  const rows = await countWhenQuiet(database);
  const more = rows.instances - before.instances;
  if (ok !== exactStarts || more !== exactStarts) {
    faults.push(`${exactStarts} starts sent, ${ok} answered with 2xx, ${more} instances more`);
  }
  return { rows, faults: [...faults, ...findFaults(rows, load.totals)] };
}

/** Counts the rows once their number no longer grows: an aborted request may still be accepted. */
async function countWhenQuiet(database) {
  for (let last; ;) {
    const rows = await countRows(database);
    if (rows.instances === last) return rows;
    last = rows.instances;
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  }
}

/** The numbers of rows that the starts left in the database, and of companies whose balance is not the sum of their ledger (`unbalanced`). */
async function countRows(database) {
  const one = async (sql) => Number(Object.values((await database.query(sql))[0][0])[0]);
  return {
    instances: await one('SELECT COUNT(*) FROM instance'),
    keys: await one('SELECT COUNT(*) FROM idempotency_key'),
    charged: await one("SELECT COUNT(*) FROM credit_entry WHERE kind = 'start'"),
    audited: await one("SELECT COUNT(*) FROM audit_event WHERE action = 'start'"),
    unbalanced: await one(
      `SELECT COUNT(*) FROM credit_account a
        WHERE a.balance <> (SELECT SUM(e.amount) FROM credit_entry e WHERE e.company_id = a.company_id)`,
    ),
  };
}

/**
 * The differences between rows and answers, one sentence each. `sent` = number of starts that were sent, `ok` = number of 2xx answers; the
 * remaining starts were in flight when a measurement ended, and may have been accepted.
 */
function findFaults(rows, { ok, sent, wrong }) {
  const faults = [];
  if (wrong > 0) faults.push(`${wrong} requests were not answered with 2xx`);
  if (rows.instances < ok || rows.instances > sent) {
    faults.push(`${rows.instances} instances for ${ok} starts answered of ${sent} sent`);
  }
  for (const name of ['keys', 'charged', 'audited']) {
    if (rows[name] !== rows.instances) faults.push(`${rows.instances} instances, but ${rows[name]} ${name}`);
  }
  if (rows.unbalanced > 0) faults.push(`${rows.unbalanced} companies whose balance is not the sum of their ledger`);
  return faults;
}
