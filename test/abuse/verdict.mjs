import { setTimeout as sleep } from 'node:timers/promises';

/** The neighbour's p99 under attack is under this many times its quiet value. */
export const MAX_RATIO = 3;
const END_LIMIT_MS = 60_000;

/** Statuses of refusals that any trick may get; 503 is UNAVAILABLE and 502 is ROUTER_ERROR. */
const REFUSALS = {
  502: ['ROUTER_ERROR'],
  503: ['UNAVAILABLE', 'AGENT_OFFLINE'],
};

/** Resolves to the number of the neighbour's instances that have not ended within the time limit. */
export async function untilAllEnded(database, { processID }) {
  const deadline = Date.now() + END_LIMIT_MS;
  for (;;) {
    const [[{ open }]] = await database.query(
      "SELECT COUNT(*) AS open FROM instance WHERE process_id = ? AND status <> 'ended'",
      [processID],
    );
    if (open === 0 || Date.now() > deadline) return open;
    await sleep(200);
  }
}

/** Every bar that was missed, in sentences. */
export function findFaults({ options, quiet, preparing, attacked, unfinished, tricks, memory }) {
  const faults = [];
  for (const [when, { errors }] of Object.entries({ quiet, preparing, attacked })) {
    const names = Object.entries(errors).map(([answer, times]) => `${times} × ${answer}`);
    if (names.length > 0) faults.push(`starts of the neighbour failed (${when}): ${names.join(', ')}`);
  }
  if (unfinished > 0) faults.push(`${unfinished} instances of the neighbour did not end`);
  const ratio = attacked.p99 / quiet.p99;
  if (!options.short && !(ratio < MAX_RATIO)) {
    faults.push(`the neighbour's p99 rose ${ratio.toFixed(1)} times, the bar is ${MAX_RATIO}`);
  }
  for (const { name, peak, limit, ends, lastEnd } of memory) {
    if (ends > 0) faults.push(`${name} ended ${ends} times, the last time by ${lastEnd}`);
    if (peak > limit) faults.push(`${name} took ${megabytes(peak)} MB of ${megabytes(limit)}`);
  }
  for (const { name, answers, faults: own } of tricks) {
    faults.push(...own.map((fault) => `${name}: ${fault}`));
    const failures = Object.keys(answers).filter(isFailure);
    if (failures.length > 0) faults.push(`${name} was answered ${failures.join(', ')}`);
  }
  return faults;
}

function isFailure(answer) {
  const [status, code] = answer.split(' ');
  return /^5\d\d$/.test(status) && !REFUSALS[status]?.includes(code);
}

export function megabytes(bytes) {
  return Math.round(bytes / 2 ** 20);
}
