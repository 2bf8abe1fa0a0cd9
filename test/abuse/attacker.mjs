import { setTimeout as sleep } from 'node:timers/promises';
import { HttpClient, answerName } from './http-client.mjs';
import { ACCOUNTS } from './world.mjs';

/** The hostile tenant's calls come from another address than the neighbour's. */
const HOSTILE_ADDRESS = '127.0.0.2';

/** The client of one trick. It counts every answer by the name that the report shows. */
export class Attacker {
  /** Name of an answer → how often the trick got it. */
  answers = {};
  /** Rounds that have ended, and the seconds that all of them together took. */
  rounds = 0;
  seconds = 0;
  /** Faults that the trick found, as sentences for the report. */
  faults = [];
  #http;

  /** `world` = addresses and tenant; `signal` aborts when the attack ends; `random` = the seeded generator of this trick; `from` = its address. */
  constructor({ world, signal, random, isShort, from = HOSTILE_ADDRESS }) {
    this.world = world;
    this.signal = signal;
    this.random = random;
    this.isShort = isShort;
    this.from = from;
    this.#http = new HttpClient({ from, sockets: 128 });
    this.router = world.router;
    this.credential = world.tenant.credential;
  }

  count(answer) {
    this.answers[answer] = (this.answers[answer] ?? 0) + 1;
  }

  async send(method, url, options) {
    const answer = await this.#http.send(method, url, { signal: this.signal, ...options });
    if (!this.signal.aborted) this.count(answerName(answer));
    return answer;
  }

  /** A call of the management API by an account of the hostile tenant. */
  manage(method, path, body, account = ACCOUNTS.owner) {
    const { console, tenant } = this.world;
    return this.send(method, `${console}/manage/v1${path}`, { bearer: tenant.accounts[account].token, body });
  }

  /** A call of the public API with a credential of the owner. */
  api(method, path, { target, credential = this.credential, ...options } = {}) {
    const headers = target ? { 'X-Process-Key': target.processKey } : {};
    return this.send(method, `${this.world.gateway}/v1${path}`, { bearer: credential, headers, ...options });
  }

  start(target, body, credential) {
    return this.api('POST', `/processes/${target.processID}/start`, { target, body, credential });
  }

  /** Waits, for example while a connection stays open, until the attack ends at the latest; a short attack does not wait. */
  async hold(milliseconds) {
    if (!this.isShort) await sleep(milliseconds, undefined, { signal: this.signal }).catch(() => {});
  }

  /** Calls `work` `count` times with the numbers from 0, `width` calls at a time; begins none after the end of the attack. */
  async repeat(count, width, work) {
    let next = 0;
    const run = async () => {
      while (next < count && !this.signal.aborted) await work(next++);
    };
    await Promise.all(Array.from({ length: width }, run));
  }
}

/** Returns a function that makes numbers from 0 up to 1, 1 excluded, the same ones for the same seed (mulberry32). */
export function seededRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
