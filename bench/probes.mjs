import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { quantile } from './statistics.mjs';

/** Pause of a probe between two repetitions. */
const PAUSE_MS = 10;

/**
 * Repeats starts, and transactions that lock the same rows as some long work, and measures how long each takes. Every probe runs beside the
 * others, one repetition after the other; each lock has a connection of its own.
 */
export class Probes {
  #running = [];
  #stopped = false;
  #connections = [];
  #times = new Map();
  /** How many starts were refused, by HTTP status and error code. */
  refused = new Map();

  constructor(databaseUrl) {
    this.databaseUrl = databaseUrl;
  }

  /** Begins to repeat starts of a process over HTTP; a refused start counts too, see `refused`. */
  repeatStarts(name, gateway, { path, headers, body }) {
    this.#repeat(name, async () => {
      const response = await fetch(`${gateway}${path}`, {
        method: 'POST',
        headers: { ...headers, 'Idempotency-Key': randomUUID() },
        body,
      });
      const { error } = await response.json();
      if (response.ok) return;
      const answer = `${response.status} ${error?.code}`;
      this.refused.set(answer, (this.refused.get(answer) ?? 0) + 1);
    });
  }

  /**
   * Begins to repeat a lock of one row by `sql` and its release. `row` is a query that first reads the parameters of `sql` without a lock, which
   * is not part of the measured time; when it finds no row, nothing is locked.
   */
  async repeatLock(name, { row, sql, parameters = [] }) {
    const connection = await createConnection({ uri: this.databaseUrl, timezone: 'Z' });
    this.#connections.push(connection);
    await connection.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
    this.#repeat(
      name,
      async ([key]) => {
        await connection.query('START TRANSACTION');
        await connection.query(sql, key);
        await connection.query('ROLLBACK');
      },
      async () => {
        if (!row) return [parameters];
        const [[found]] = await connection.query(row, parameters);
        return found && [Object.values(found)];
      },
    );
  }

  /** Ends the probes; returns count, p50, p99 and the longest time of each, in milliseconds. */
  async stop() {
    this.#stopped = true;
    await Promise.all(this.#running);
    for (const connection of this.#connections) await connection.end();
    return [...this.#times].map(([name, times]) => ({
      name,
      count: times.length,
      p50: quantile(times, 0.5),
      p99: quantile(times, 0.99),
      longest: Math.max(...times),
    }));
  }

  #repeat(name, probe, prepare = async () => [[]]) {
    const times = [];
    this.#times.set(name, times);
    const run = async () => {
      while (!this.#stopped) {
        const prepared = await prepare();
        const began = performance.now();
        if (prepared) {
          await probe(prepared);
          times.push(performance.now() - began);
        }
        await sleep(PAUSE_MS);
      }
    };
    this.#running.push(run());
  }
}
