import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../../bench/statistics.mjs';
import { HttpClient, answerName } from './http-client.mjs';

/** A call without an answer after this time is an error. */
const TIME_LIMIT_MS = 10_000;
/** The time limit of a call in the short form of the test, which measures no time. */
const LONG_TIME_LIMIT_MS = 60_000;
/** The rate of each kind of read, as a share of the rate of starts. */
const READ_SHARE = 1 / 4;

/**
 * The tenant that the attack must not slow down: it starts a process and reads at steady rates, whether or not earlier calls were
 * answered, so that a service that does not respond delays every call of that time.
 */
export class Neighbour {
  #http = new HttpClient({ from: '127.0.0.1', sockets: 256 });
  #tenant;
  #rate;
  #timeLimitMs;
  /** The newest instance whose start was accepted, which the reads ask for. */
  #newestInstanceID;

  /** `rate` = starts a second; `short` = whether the test measures no time. */
  constructor(tenant, { rate, short }) {
    this.#tenant = tenant;
    this.#rate = rate;
    this.#timeLimitMs = short ? LONG_TIME_LIMIT_MS : TIME_LIMIT_MS;
  }

  /**
   * Calls until `work` has ended. Resolves to the values measured meanwhile, of the starts and of each kind of read; every answer
   * but a 2xx is an error.
   */
  async measureDuring(work) {
    let done = false;
    const ended = Promise.resolve(work).finally(() => (done = true));
    // The work may fail while calls are in flight; the `await` below throws its error.
    ended.catch(() => {});
    const isDone = () => done;
    if (!this.#newestInstanceID) await this.#start();
    const kinds = Object.entries(this.#reads());
    const [starts, ...reads] = await Promise.all([
      atRate(this.#rate, () => this.#start(), isDone),
      ...kinds.map(([, read]) => atRate(this.#rate * READ_SHARE, read, isDone)),
    ]);
    await ended;
    return {
      ...measurementsOf(starts),
      reads: Object.fromEntries(kinds.map(([kind], index) => [kind, measurementsOf(reads[index])])),
    };
  }

  close() {
    this.#http.close();
  }

  async #start() {
    const { processID } = this.#tenant.process;
    const body = { matrix: { text: 'order 4711', list: [{ sku: 'QJ-01', quantity: 2 }] } };
    const answer = await this.#api('POST', `/processes/${processID}/start`, body);
    if (answer.status > 0 && answer.status < 300) this.#newestInstanceID = JSON.parse(answer.text).instanceID;
    return answer;
  }

  #reads() {
    const { processID } = this.#tenant.process;
    return {
      instance: () => this.#api('GET', `/instances/${this.#newestInstanceID}`),
      logs: () => this.#api('GET', `/instances/${this.#newestInstanceID}/logs?limit=100`),
      list: () => this.#api('GET', `/processes/${processID}/executions?limit=20`),
      'runs (console)': () => this.#manage('GET', '/runs?limit=20'),
    };
  }

  #api(method, path, body) {
    const { gateway, credential, process } = this.#tenant;
    const headers = { 'X-Process-Key': process.processKey };
    return this.#send(method, `${gateway}/v1${path}`, { bearer: credential, headers, body });
  }

  #manage(method, path) {
    const { console, token } = this.#tenant;
    return this.#send(method, `${console}/manage/v1${path}`, { bearer: token });
  }

  #send(method, url, options) {
    return this.#http.send(method, url, { timeLimitMs: this.#timeLimitMs, ...options });
  }
}

/** Calls `send` `rate` times a second until `isDone`. A time counts from the moment at which the call was due, also when this program is late. */
async function atRate(rate, send, isDone) {
  const answers = [];
  const began = performance.now();
  for (let sent = 0; !isDone(); sent++) {
    const due = began + (sent * 1_000) / rate;
    await sleep(Math.max(0, due - performance.now()));
    const late = performance.now() - due;
    const second = Math.floor(sent / rate);
    answers.push(send().then((answer) => ({ ...answer, late, second, milliseconds: performance.now() - due })));
  }
  return Promise.all(answers);
}

/**
 * All times in milliseconds. `late` = by how much this program itself sent calls late (p99), which shows whether it gets its processor time.
 * `slowestBySecond` = the time of the slowest call that was due in each second.
 */
function measurementsOf(answers) {
  const times = answers.map(({ milliseconds }) => milliseconds);
  const errors = {};
  for (const answer of answers.filter(({ status }) => status < 200 || status > 299)) {
    errors[answerName(answer)] = (errors[answerName(answer)] ?? 0) + 1;
  }
  return {
    calls: answers.length,
    errors,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    slowest: quantile(times, 1),
    slowestBySecond: slowestBySecond(answers),
    late: quantile(
      answers.map(({ late }) => late),
      0.99,
    ),
  };
}

function slowestBySecond(answers) {
  const slowest = [];
  for (const { second, milliseconds } of answers) slowest[second] = Math.max(slowest[second] ?? 0, milliseconds);
  return slowest;
}
