import { CpuMeter } from './usage.mjs';
import { median, sum } from './statistics.mjs';

export const CONNECTION_COUNTS = [1, 10, 50];

/**
 * Measures the targets in turns, at each number of connections, so that a change of the machine's speed affects all of them. Returns a cell for
 * each target and number of connections. A target is `{ name, url, requests, pids, settle }`: `pids` = the processes by name whose CPU time is
 * measured; `settle` is optional and waits for the work that continues after the answers, which must not disturb the next target.
 */
export async function measureThroughput({ load, targets, options, say }) {
  await warmUp({ load, targets, options });
  const cells = [];
  for (const connections of CONNECTION_COUNTS) {
    const open = targets.map((target) => ({ target, rounds: [], meter: new CpuMeter(target.pids) }));
    for (let round = 1; round <= options.rounds; round++) {
      for (const { target, rounds, meter } of open) {
        const { url, requests, settle } = target;
        const order = { url, requests, connections, seconds: options.seconds };
        rounds.push(await meter.during(() => load.measure(order)));
        await settle?.();
      }
      say(`  ${connections} connections, round ${round} of ${options.rounds}`);
    }
    cells.push(...open.map((one) => toCell(one, connections)));
  }
  return cells;
}

/** Makes calls that are not measured, so that V8 compiles the hot code of all programs. Throws if an answer is wrong. */
async function warmUp({ load, targets, options: { warmUpSeconds: seconds } }) {
  for (const { name, url, requests, settle } of targets) {
    const measured = await load.measure({ url, requests, connections: Math.max(...CONNECTION_COUNTS), seconds });
    if (measured.wrong > 0) {
      throw new Error(`${JSON.stringify(name)} at ${url}: ${measured.wrong} wrong answers while warming up`);
    }
    await settle?.();
  }
}

/** The results of one target at one number of connections: latencies in milliseconds, CPU in microseconds per request. */
function toCell({ target, rounds, meter }, connections) {
  const ok = sum(rounds.map((round) => round.ok));
  return {
    target: target.name,
    connections,
    ok,
    wrong: sum(rounds.map((round) => round.wrong)),
    sent: sum(rounds.map((round) => round.sent)),
    perSecond: median(rounds.map((round) => round.ok / round.seconds)),
    p50: median(rounds.map((round) => round.p50)),
    p99: median(rounds.map((round) => round.p99)),
    cpu: meter.perRequest(ok),
  };
}

/** The ratios of a cell's values to those of the floor at the same number of connections; above 1 = more than the floor. */
export function ratioTo(floor, cell) {
  return {
    perSecond: cell.perSecond / floor.perSecond,
    p50: cell.p50 / floor.p50,
    p99: cell.p99 / floor.p99,
  };
}
