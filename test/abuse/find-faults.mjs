import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';

const require = createRequire(import.meta.url);
const { ERROR_CODES } = require('../../dist/libs/errors/src');

/** Maximum ratio of the p99 during the attack to the p99 without it, for the neighbour's starts and each kind of its reads. */
export const MAX_P99_RATIO = 3;
/** How long the neighbour's instances may take to end after the attack. */
const END_TIME_LIMIT_MS = 60_000;
const UNAVAILABILITY_CODES = ['UNAVAILABLE', 'ROUTER_ERROR'];

/** Resolves to the number of the neighbour's instances that have not ended within the time limit. */
export async function untilAllEnded(database, { processID }) {
  const deadline = Date.now() + END_TIME_LIMIT_MS;
  for (;;) {
    const [[{ open }]] = await database.query(
      'SELECT COUNT(*) AS open FROM instance WHERE process_id = ? AND finished_at IS NULL',
      [processID],
    );
    if (open === 0 || Date.now() > deadline) return open;
    await sleep(200);
  }
}

/** Returns a sentence for every bar that was missed. */
export function findFaults({ options, quiet, preparing, attacked, unfinished, tricks, memory }) {
  const faults = [];
  for (const [phase, measured] of Object.entries({ quiet, preparing, attacked })) {
    for (const [kind, { errors }] of measurementsByKind(measured)) {
      const names = Object.entries(errors).map(([answer, times]) => `${times} × ${answer}`);
      if (names.length > 0) faults.push(`${kind} of the neighbour failed (${phase}): ${names.join(', ')}`);
    }
  }
  if (unfinished > 0) faults.push(`${unfinished} instances of the neighbour did not end`);
  for (const [kind, ratio] of Object.entries(options.short ? {} : ratiosOf(quiet, attacked))) {
    if (!(ratio < MAX_P99_RATIO)) {
      faults.push(`the p99 of the neighbour's ${kind} rose ${ratio.toFixed(1)} times, the bar is ${MAX_P99_RATIO}`);
    }
  }
  for (const { name, peak, limit, ends, lastEnd } of memory) {
    if (ends > 0) faults.push(`${name} ended ${ends} times, the last time by ${lastEnd}`);
    if (peak > limit) faults.push(`${name} took ${toMegabytes(peak)} MB of ${toMegabytes(limit)}`);
  }
  for (const { name, answers, faults: own } of tricks) {
    faults.push(...own.map((fault) => `${name}: ${fault}`));
    const wrong = Object.keys(answers).filter(isUndocumented);
    if (wrong.length > 0) faults.push(`${name} was answered ${wrong.join(', ')}`);
  }
  return faults;
}

/** How many times its quiet value the p99 is, by kind of call. */
export function ratiosOf(quiet, attacked) {
  const quietKinds = new Map(measurementsByKind(quiet));
  return Object.fromEntries(
    measurementsByKind(attacked).map(([kind, { p99 }]) => [kind, p99 / quietKinds.get(kind).p99]),
  );
}

/** Pairs of a kind of call, the starts or one kind of read, and the measurements of its calls. */
export function measurementsByKind({ reads, ...starts }) {
  return [['starts', starts], ...Object.entries(reads).map(([kind, measured]) => [`reads: ${kind}`, measured])];
}

/**
 * Whether the answer is a refusal without a documented code or with another status than its code has, or a 5xx other than UNAVAILABLE and
 * ROUTER_ERROR.
 */
function isUndocumented(answer) {
  const [, status, code] = /^([45]\d\d) ?(.*)$/.exec(answer) ?? [];
  if (status === undefined) return false;
  return ERROR_CODES[code]?.status !== Number(status) || (status >= 500 && !UNAVAILABILITY_CODES.includes(code));
}

export function toMegabytes(bytes) {
  return Math.round(bytes / 2 ** 20);
}
