import { setTimeout as sleep } from 'node:timers/promises';
import { startAgent } from './programs.mjs';
import { hookOf, startOf } from './requests.mjs';
import { median, sum } from './statistics.mjs';
import { CpuMeter } from './usage.mjs';
import { makeAnsweringProcesses } from './world.mjs';

const CONNECTION_COUNT = 10;
const POLL_INTERVAL_MS = 50;
/** Time limit for an agent to connect. */
const WAIT_TIME_LIMIT_MS = 15_000;
/** Time limit for accepted starts to have run, after a measurement. */
const DONE_TIME_LIMIT_MS = 60_000;

/**
 * Measures waiting webhook calls, which the reference agent answers by a one-step flow: `answering` at 10 connections, `single` at one. They
 * alternate with API starts at 10 connections, whose answers say only that they are accepted: `running` of the same process, which the same agent
 * runs, and `starting` of a process without a connected agent. Latencies are in milliseconds, CPU in microseconds per call.
 */
export async function measureAnswering({ load, servers, services, pids, single, options: { seconds, rounds } }) {
  const { activationKey, processes } = await makeAnsweringProcesses(servers.database, single, 1);
  const agent = await startAgent(servers, { url: services.router.url, key: activationKey });
  try {
    await untilConnected(servers.database, 'bench-reference');
    const url = services.gateway.url;
    const answering = { url, requests: [hookOf(processes[0])], connections: CONNECTION_COUNT, seconds };
    const running = { url, requests: [startOf(single, processes[0])], connections: CONNECTION_COUNT, seconds };
    const starting = { url, requests: [startOf(single, single.queued)], connections: CONNECTION_COUNT, seconds };
    await load.measure(answering);
    const measured = { answering: [], single: [], running: [], starting: [] };
    const meter = new CpuMeter({ ...pids, agent: agent.pid });
    for (let round = 1; round <= rounds; round++) {
      measured.answering.push(await meter.during(() => load.measure(answering)));
      measured.single.push(await load.measure({ ...answering, connections: 1 }));
      measured.running.push(await load.measure(running));
      await untilDone(servers.database, processes[0]);
      measured.starting.push(await load.measure(starting));
    }
    const calls = sum(measured.answering.map(({ ok }) => ok));
    return {
      connections: CONNECTION_COUNT,
      answering: { ...medians(measured.answering), cpu: meter.perRequest(calls) },
      single: medians(measured.single),
      running: medians(measured.running),
      starting: medians(measured.starting),
    };
  } finally {
    await agent.stop();
  }
}

function medians(rounds) {
  return {
    perSecond: median(rounds.map((round) => round.ok / round.seconds)),
    p50: median(rounds.map((round) => round.p50)),
    p99: median(rounds.map((round) => round.p99)),
  };
}

/**
 * Waits until all accepted starts of the process have run: the agent is slower than the acceptance, and its work must not disturb the next
 * measurement. Rejects after the time limit.
 */
export async function untilDone(database, { processID }) {
  const open = `SELECT COUNT(*) AS n FROM instance WHERE process_id = ? AND status IN ('queued', 'unknown', 'running')`;
  const deadline = Date.now() + DONE_TIME_LIMIT_MS;
  for (;;) {
    const [[{ n }]] = await database.query(open, [processID]);
    if (Number(n) === 0) return;
    if (Date.now() > deadline) throw new Error(`${n} starts are still not done`);
    await sleep(POLL_INTERVAL_MS);
  }
}

/** Waits until the reference agent of this name has connected. Rejects after the time limit. */
export async function untilConnected(database, name) {
  const deadline = Date.now() + WAIT_TIME_LIMIT_MS;
  for (;;) {
    const [rows] = await database.query('SELECT 1 FROM agent_session WHERE agent_name = ?', [name]);
    if (rows.length > 0) return;
    if (Date.now() > deadline) throw new Error('the reference agent did not connect');
    await sleep(POLL_INTERVAL_MS);
  }
}
