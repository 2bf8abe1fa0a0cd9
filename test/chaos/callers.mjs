import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerName } from '../abuse/http-client.mjs';

/** Pause of a caller before it sends an order again. */
const REPEAT_PAUSE_MS = 500;
/** How long after the end of the load the orders without an accepted start are still repeated. */
const REPEAT_AFTER_LOAD_MS = 60_000;
/** A call without an answer after this time counts as hanging: every time limit of the services is shorter. */
const HANG_LIMIT_MS = 30_000;
/** Share of the callers that repeat nothing, so that the check can count what a refused call has stored. */
const UNREPEATED_SHARE = 0.1;
/** Callers of the webhook, in addition to those that start the process. */
const HOOK_CALLERS = 5;
/** Callers that make the calls in `others` of the world, each one with a pause of half a second. */
const OTHER_CALLERS = 2;
const OTHER_PAUSE_MS = 500;
/** The kinds of calls whose answer names an instance. */
const STARTING_KINDS = new Set(['start', 'webhook']);

/** Answers that break no promise: the connection was cut, or the call was refused for the moment. */
const SOCKET_FAULTS =
  /^no answer \((ECONNRESET|EPIPE|ECONNREFUSED|socket hang up)( on a connection that was idle for \d+ s)?\)$/;
const TRANSIENT_REFUSAL = /^(503 UNAVAILABLE|502 ROUTER_ERROR|429 RATE_LIMITED)$/;

/**
 * Answers after which the caller does not know whether the call stored something. A 502 ROUTER_ERROR is none of them: it promises that
 * nothing was stored (interpretation 40).
 */
const UNKNOWN_EFFECT = /^(no answer .*|503 UNAVAILABLE)$/;

/** Third parties that start the process, call its webhook, and make the calls in `others` of the world in turn. Every answer is kept. */
export class Callers {
  /** Order → the id of the instance in the answer to its start. */
  accepted = new Map();
  /** Orders without an accepted start whose last answer was a refusal that stores nothing → that answer. */
  refused = new Map();
  /** Orders without an accepted start whose last answer leaves open whether they were stored. */
  unknown = new Set();
  /** Orders that were repeated until the time limit and never accepted → the last answer; each is also in `refused` or `unknown`. */
  neverAccepted = new Map();
  /**
   * Every call that has ended, also without an answer: `{ kind, from, to, name }`, with times of performance.now and the name of the answer,
   * such as `no answer (ECONNRESET)`.
   */
  calls = [];
  #over = false;
  /** From this time of performance.now on, no order is repeated. */
  #repeatsUntil = Infinity;
  #loops = [];

  constructor(http, cluster, world) {
    Object.assign(this, { http, cluster, world });
  }

  /** Begins the load. `callers` = those that start the process; `pause` = milliseconds between two orders of a caller, on average. */
  begin({ callers, pause }) {
    const unrepeated = Math.max(1, Math.round(callers * UNREPEATED_SHARE));
    for (let number = 0; number < callers; number += 1) {
      const repeats = number >= unrepeated;
      this.#loop(pause, () => this.#placeOrder(randomUUID(), (order) => this.#start(order), repeats));
    }
    for (let number = 0; number < HOOK_CALLERS; number += 1) {
      this.#loop(pause, () => this.#placeOrder(randomUUID(), (order) => this.#callHook(order), false));
    }
    for (let number = 0; number < OTHER_CALLERS; number += 1) {
      let turn = number;
      this.#loop(OTHER_PAUSE_MS, () => this.#callOther(turn++));
    }
  }

  /** Ends the load, and awaits the calls in progress and the orders that are still repeated, these for at most a minute. */
  async stop() {
    this.#over = true;
    this.#repeatsUntil = performance.now() + REPEAT_AFTER_LOAD_MS;
    await Promise.all(this.#loops);
  }

  /** Sends nothing from now on, and does not wait for answers. */
  abandon() {
    this.#over = true;
    this.#repeatsUntil = 0;
  }

  #loop(pause, round) {
    const turn = async () => {
      await sleep(Math.random() * pause);
      while (!this.#over) {
        await round();
        await sleep(pause * (0.5 + Math.random()));
      }
    };
    this.#loops.push(turn());
  }

  async #placeOrder(order, send, repeats) {
    for (;;) {
      const answer = await send(order);
      if (answer.instanceID) {
        this.accepted.set(order, answer.instanceID);
        return;
      }
      const isNeverAccepted = repeats && performance.now() > this.#repeatsUntil;
      if (isNeverAccepted) this.neverAccepted.set(order, answer.name);
      if (isNeverAccepted || !repeats) {
        if (UNKNOWN_EFFECT.test(answer.name)) this.unknown.add(order);
        else this.refused.set(order, answer.name);
        return;
      }
      await sleep(REPEAT_PAUSE_MS);
    }
  }

  /** Starts the process for an order. The order is also the request id, by which the database shows to which call an instance belongs. */
  #start(order) {
    const { processID, processKey, credential, values } = this.world;
    return this.#send('start', 'POST', `${this.cluster.gateway}/v1/processes/${processID}/start`, {
      bearer: credential,
      headers: { 'X-Process-Key': processKey, 'Idempotency-Key': order, 'X-Request-Id': order },
      body: { matrix: { order, ...values } },
    });
  }

  #callHook(order) {
    return this.#send('webhook', 'POST', this.world.hookUrl, { headers: { 'X-Request-Id': order }, body: { order } });
  }

  /** The calls that start nothing, in turn; some are about the instance of the newest start. */
  #callOther(turn) {
    const { others } = this.world;
    const { kind, method = 'GET', url, ...options } = others[turn % others.length];
    const newest = [...this.accepted.values()].at(-1);
    if (typeof url === 'string') return this.#send(kind, method, url, options);
    return newest && this.#send(kind, method, url(newest), options);
  }

  async #send(kind, method, url, options) {
    const from = performance.now();
    const answer = await this.http.send(method, url, {
      ...options,
      timeLimitMs: this.world.hangLimitMs ?? HANG_LIMIT_MS,
    });
    const name = answerName(answer);
    this.calls.push({ kind, from, to: performance.now(), name });
    const accepted = STARTING_KINDS.has(kind) && answer.status >= 200 && answer.status < 300;
    return { name, instanceID: accepted ? instanceOf(answer) : undefined };
  }
}

function instanceOf({ text, headers }) {
  return headers['x-instance-id'] ?? JSON.parse(text).instanceID;
}

export const hasSucceeded = ({ name }) => /^2\d\d$/.test(name);
export const wasCutOff = ({ name }) => SOCKET_FAULTS.test(name);
export const wasRefused = ({ name }) => TRANSIENT_REFUSAL.test(name);
