import { CpuMeter } from './usage.mjs';
import { median, sum } from './statistics.mjs';

export const CONNECTION_COUNTS = [1, 10, 50];

/**
 * Measures the targets alternately, at each number of connections, so that a change of the machine's speed affects all of them.
 * A target is `{ name, url, requests, pids }`, and `settle` where work goes on behind its answers, which must not disturb the next. Returns a cell for each target and number of connections.
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

/** Makes calls that are not measured, so that the engines compile their hot code. */
async function warmUp({ load, targets, options: { seconds } }) {
  for (const { name, url, requests, settle } of targets) {
    const measured = await load.measure({ url, requests, connections: Math.max(...CONNECTION_COUNTS), seconds });
    if (measured.wrong > 0) {
      throw new Error(`${JSON.stringify(name)} at ${url}: ${measured.wrong} wrong answers while warming up`);
    }
    await settle?.();
  }
}

/** Latencies in milliseconds, CPU in microseconds per request. */
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

/** The ratio of a cell to the floor's cell at the same number of connections; above 1 is more than the floor. */
export function ratioTo(floor, cell) {
  return {
    perSecond: cell.perSecond / floor.perSecond,
    p50: cell.p50 / floor.p50,
    p99: cell.p99 / floor.p99,
  };
}
