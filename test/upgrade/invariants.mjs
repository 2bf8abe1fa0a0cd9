import { checkInvariants } from '../chaos/invariants.mjs';
import { hasSucceeded, wasCutOff } from '../chaos/callers.mjs';

/** Results of firings that started an instance; on a busy machine a firing may be `late`. */
const STARTED_RESULTS = new Set(['fired', 'late']);

/**
 * Awaits the end of all instances and compares the records of the database, the external system, the agents and the replicas. Returns the
 * counts, and in `broken` a sentence for each promise that was broken.
 */
export async function checkUpgradeInvariants({
  options,
  database,
  world,
  callers,
  effects,
  stack,
  agents,
  acceptedByReplica,
}) {
  const common = await checkInvariants({ options, database, world, callers, effects, phases: [] });
  const failures = {};
  for (const call of callers.calls.filter((one) => !hasSucceeded(one))) {
    const name = `${call.kind} ${call.name}`;
    failures[name] = (failures[name] ?? 0) + 1;
  }
  const refused = callers.calls.filter((call) => !hasSucceeded(call) && !wasCutOff(call)).length;
  const firings = await firingsOf(database, world);
  const runs = await runsOf(database, world);
  // Every service subscribes to its inbox. Execution has no right to its own and needs none, because it calls no other service.
  const violations = (await stack.nats.readViolations()).filter(
    (line) => !/User "execution", Subject "_INBOX/.test(line),
  );
  const idle = agents.filter((name) => !(runs[name] > 0));
  const unused = acceptedByReplica.filter(({ accepted }) => accepted === 0).map(({ name }) => name);
  return {
    ...common,
    failures,
    firings,
    agents: runs,
    acceptedByReplica,
    broken: [
      ...new Set([
        ...common.broken,
        ...(refused > 0 ? [`calls failed: ${JSON.stringify(failures)}`] : []),
        ...(common.crashed > 0 ? [`${common.crashed} instances crashed though no agent was killed`] : []),
        ...(common.cutOff > 0 ? [`${common.cutOff} instances did not reach the external system`] : []),
        ...firings.broken,
        ...(idle.length > 0 ? [`agents ran nothing: ${idle.join(', ')}`] : []),
        ...(unused.length > 0 ? [`replicas accepted nothing: ${unused.join(', ')}`] : []),
        ...violations.slice(0, 5).map((line) => `NATS refused: ${line}`),
      ]),
    ],
  };
}

/** Counts the firings of a schedule, and finds those that started no successful instance and the minutes without a firing. */
async function firingsOf(database, { scheduleID }) {
  const [rows] = await database.query(
    `SELECT f.nominal_at AS at, f.result, f.reason_code AS reason, i.status FROM schedule_firing f
       LEFT JOIN instance i ON i.instance_id = f.instance_id WHERE f.schedule_id = ? ORDER BY f.nominal_at`,
    [scheduleID],
  );
  const wrong = rows.filter(({ result, status }) => !STARTED_RESULTS.has(result) || status !== 'success');
  const gaps = rows.filter((row, index) => index > 0 && row.at - rows[index - 1].at !== 60_000);
  const text = ({ at, result, reason, status }) => `${at.toISOString()} ${result} ${reason} ${status}`;
  return {
    count: rows.length,
    broken: [...wrong.map((row) => `firing ${text(row)}`), ...gaps.map((row) => `no firing before ${text(row)}`)],
  };
}

/** Name of an agent → the number of instances that it ran successfully; without agents that ran none. */
export async function runsOf(database, { processID }) {
  const [rows] = await database.query(
    `SELECT s.agent_name AS name, COUNT(*) AS n FROM instance i JOIN agent_session s USING (session_id)
      WHERE i.process_id = ? AND i.status = 'success' GROUP BY s.agent_name`,
    [processID],
  );
  return Object.fromEntries(rows.map(({ name, n }) => [name, Number(n)]));
}
