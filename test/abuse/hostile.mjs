// The hostile tenant, as a separate OS process: it does every trick at full rate, with a priority below that of the services.
import { existsSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Attacker, seededRandom } from './attacker.mjs';
import { TRICKS } from './tricks/index.mjs';

/** The nice value of the lowest priority. */
const LOWEST_PRIORITY = 19;
const AUTOGROUP = '/proc/self/autogroup';
/** Pause between two rounds of a trick, so that a trick whose answers come at once does not take the whole client. */
const PAUSE_MS = 20;
/** A round of a trick that takes longer counts as hanging. */
const ROUND_LIMIT_MS = 60_000;

process.on('disconnect', () => process.exit(1));

/**
 * Lowers the priority of this OS process: a load generator elsewhere would take no processor time from the services. A short attack
 * measures no time and keeps its priority, because it would starve beside other programs. Linux may schedule sessions as groups
 * (autogroup); then the priority counts only within its own session.
 */
function yieldProcessors() {
  setPriority(LOWEST_PRIORITY);
  // Unlike the lowest priority, Linux's idle class yields at once to a program that wakes up.
  spawnSync('chrt', ['--all-tasks', '--idle', '--pid', '0', String(process.pid)]);
  if (existsSync(AUTOGROUP)) writeFileSync(AUTOGROUP, String(LOWEST_PRIORITY));
}

let stopping = new AbortController();
let attackers;
const commands = { prepare, attack, stop: () => stopping.abort() };
process.on('message', ({ command, ...order }) => void commands[command](order));
process.send({ event: 'here' });

/** Makes what the tricks need, such as schedules; the services may refuse some of it. */
async function prepare({ world, seed, only, isShort }) {
  if (!isShort) yieldProcessors();
  const chosen = TRICKS.filter(({ name, isLong }) => (only?.includes(name) ?? true) && !(isShort && isLong));
  attackers = chosen.map((trick, index) => ({
    trick,
    attacker: new Attacker({
      world,
      signal: stopping.signal,
      random: seededRandom(seed * 1_000 + index),
      isShort,
      from: trick.from,
    }),
  }));
  for (const { trick, attacker } of attackers) await attempt(attacker, () => trick.prepare?.(attacker));
  process.send({ event: 'prepared', names: attackers.map(({ trick }) => trick.name) });
}

/**
 * Does the tricks: in a short attack each once, one after the other; otherwise all of `names` at the same time, again and again,
 * until `stop`.
 */
async function attack({ isShort, names }) {
  stopping = new AbortController();
  for (const { attacker } of attackers) attacker.signal = stopping.signal;
  if (isShort) for (const one of attackers) await doRound(one);
  else await Promise.all(attackers.filter(({ trick }) => names.includes(trick.name)).map(repeatRounds));
  const tricks = attackers.map(({ trick: { name, what, requiredAnswers = [], forbiddenAnswers = [] }, attacker }) => {
    const { rounds, seconds, answers, faults } = attacker;
    // In a long attack a trick may get none of its required answers, because a limit refuses its calls or its agent is granted nothing in time.
    const isHeldBack =
      !isShort && Object.keys(answers).some((answer) => /^429 RATE_LIMITED|nothing was granted/.test(answer));
    const missing = isHeldBack
      ? []
      : requiredAnswers.filter((answer) => !answers[answer]).map((answer) => `nothing was answered ${answer}`);
    const wrong = forbiddenAnswers
      .filter((answer) => answers[answer])
      .map((answer) => `${answers[answer]} were answered ${answer}`);
    return { name, what, rounds, seconds, answers, faults: [...faults, ...missing, ...wrong] };
  });
  process.send({ event: 'done', tricks });
}

async function repeatRounds(one) {
  while (!stopping.signal.aborted) {
    await doRound(one);
    await sleep(PAUSE_MS);
  }
}

/** Does the trick once and counts the round; a round that fails or takes too long is counted as an answer and does not throw. */
async function doRound({ trick, attacker }) {
  const began = performance.now();
  await attempt(attacker, () => withinLimit(trick.round(attacker)));
  attacker.rounds += 1;
  attacker.seconds += (performance.now() - began) / 1_000;
}

async function withinLimit(work) {
  const hangs = sleep(ROUND_LIMIT_MS, undefined, { ref: false }).then(() => {
    throw new Error(`no end within ${ROUND_LIMIT_MS / 1_000} s`);
  });
  await Promise.race([work, hangs]);
}

/** Does the work, and counts its error as an answer, because a refusal may end the work early, for example when the router cuts a connection. */
async function attempt(attacker, work) {
  try {
    await work();
  } catch (error) {
    if (!stopping.signal.aborted) attacker.count(`ended early (${error.message})`);
  }
}
