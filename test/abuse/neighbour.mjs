import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../../bench/statistics.mjs';
import { HttpClient, answerName } from './http-client.mjs';

const START_TIME_LIMIT_MS = 10_000;

/**
 * The tenant whose starts the attack must not slow down: it starts a process at a steady rate, whether or not earlier starts were
 * answered, so that a service that does not respond delays every start of that time.
 */
export class Neighbour {
  #http = new HttpClient({ from: '127.0.0.1', sockets: 256 });
  #start;
  #rate;

  constructor({ gateway, credential, process: { processID, processKey } }, rate) {
    this.#rate = rate;
    const url = `${gateway}/v1/processes/${processID}/start`;
    const headers = { 'X-Process-Key': processKey };
    const body = { matrix: { text: 'order 4711', list: [{ sku: 'QJ-01', quantity: 2 }] } };
    this.#start = () =>
      this.#http.send('POST', url, { bearer: credential, headers, body, timeLimitMs: START_TIME_LIMIT_MS });
  }

  /** Starts instances until `work` has ended. Resolves to the values measured meanwhile; every answer but a 2xx is an error. */
  async during(work) {
    const answers = [];
    const state = { done: false };
    const ended = Promise.resolve(work).finally(() => (state.done = true));
    const began = performance.now();
    for (let sent = 0; !state.done; sent++) {
      const due = began + (sent * 1_000) / this.#rate;
      await sleep(Math.max(0, due - performance.now()));
      // The time counts from the moment at which the start was due, also when this process is late.
      answers.push(this.#start().then((answer) => ({ ...answer, milliseconds: performance.now() - due })));
    }
    await ended;
    return figuresOf(await Promise.all(answers));
  }

  close() {
    this.#http.close();
  }
}

function figuresOf(answers) {
  const times = answers.map(({ milliseconds }) => milliseconds);
  const errors = {};
  for (const answer of answers.filter(({ status }) => status < 200 || status > 299)) {
    errors[answerName(answer)] = (errors[answerName(answer)] ?? 0) + 1;
  }
  return {
    starts: answers.length,
    errors,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    slowest: quantile(times, 1),
  };
}
