import { execFile, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { splitAtKey } from '../requests.mjs';

/**
 * Creates a load generator, which runs in a process of its own. Its `measure({ url, requests, connections, seconds })` sends the requests in
 * turn, each with a new idempotency key, for `seconds`; with `amount` it sends that number of requests and waits for the last answer. With
 * `urls` instead of `url`, Autocannon spreads the connections over them. The result has the numbers of 2xx answers (`ok`), of other answers and
 * failed requests (`wrong`) and of requests (`sent`, with those that were in flight at the end), the seconds, and latencies in milliseconds.
 */
export function createGenerator(name, folder) {
  return name === 'wrk' ? new Wrk(folder) : new Autocannon();
}

class Autocannon {
  #driver = fork(join(import.meta.dirname, 'driver.cjs'));

  get pid() {
    return this.#driver.pid;
  }

  async measure({ url, urls = [url], requests, ...order }) {
    const targets = urls.map((address) => ({
      url: address,
      pieces: requests.map((request) => splitAtKey(request, new URL(address).host)),
    }));
    const answer = this.#answer();
    this.#driver.send({ targets, ...order });
    const { measured, failed } = await answer;
    if (failed) throw new Error(`the load generator failed: ${failed}`);
    return measured;
  }

  stop() {
    if (this.#driver.connected) this.#driver.disconnect();
  }

  async #answer() {
    const gone = new AbortController();
    const ended = once(this.#driver, 'exit', { signal: gone.signal }).then(([code]) => ({
      failed: `it ended: ${code}`,
    }));
    ended.catch(() => {});
    const message = once(this.#driver, 'message', { signal: gone.signal }).then(([body]) => body);
    message.catch(() => {});
    return Promise.race([message, ended]).finally(() => gone.abort());
  }
}

/** wrk needs far less CPU than autocannon, but cannot send an exact amount of requests: autocannon sends those. */
class Wrk {
  #folder;
  #autocannon = new Autocannon();

  constructor(folder) {
    this.#folder = folder;
  }

  /** Undefined, because each measurement runs a new process, so that its processor time is not measured. */
  get pid() {
    return undefined;
  }

  async measure(order) {
    if (order.amount !== undefined) return this.#autocannon.measure(order);
    const { url, requests, connections, seconds } = order;
    const pieces = requests.flatMap((request) => splitAtKey(request, new URL(url).host));
    const file = join(this.#folder, 'wrk-pieces');
    await writeFile(file, pieces.map((piece) => Buffer.from(piece).toString('hex')).join('\n'));
    const args = ['-t1', `-c${connections}`, `-d${seconds}`, '-s', join(import.meta.dirname, 'wrk.lua'), url];
    const env = { ...process.env, BENCH_PIECES: file, BENCH_RUN: randomBytes(6).toString('hex') };
    const { stdout } = await promisify(execFile)('wrk', args, { env });
    const line = stdout.split('\n').find((text) => text.startsWith('BENCH '));
    if (!line) throw new Error(`wrk said nothing of use:\n${stdout}`);
    const { requests: answered, microseconds, status, lost, p50, p99 } = JSON.parse(line.slice('BENCH '.length));
    // At most one request of each connection was in flight at the end.
    const sent = answered + lost + connections;
    return { ok: answered - status, wrong: status + lost, sent, seconds: microseconds / 1e6, p50, p99 };
  }

  stop() {
    this.#autocannon.stop();
  }
}
