import { setTimeout as sleep } from 'node:timers/promises';
import { wasCutOff, wasRefused, hasSucceeded } from './callers.mjs';
import { MONTHLY_CREDITS, SECRET } from './world.mjs';

/** Longest time from a fault, or from its repair, until no call fails and a new start is accepted and runs (`recoveryMs` in phase.mjs). */
export const MAX_RECOVERY_MS = 10_000;
/** How long instances may take to end after the load. */
const END_TIME_LIMIT_MS = 180_000;
const AGENT_LOST_MESSAGE = 'The agent that ran the execution was lost.';
/** Error message of an instance whose agent was cut off from the external system; failing is then the right end. */
const CUT_OFF_MESSAGE = /^Step "Book": POST \S+ failed: no connection to /;
const MAX_SHOWN_EXAMPLES = 5;

/**
 * Awaits the end of all instances and compares the records of the database and of the external system about every call. Returns the counts,
 * and in `broken` a sentence for each promise that was broken.
 */
export async function checkInvariants({ options, database, world, callers, effects, phases }) {
  const unended = await untilAllEnded(database, world);
  const [rows] = await database.query(
    `SELECT i.instance_id, i.request_id, i.status, i.outcome, i.error_message, i.trigger_kind, s.agent_name
       FROM instance i LEFT JOIN agent_session s USING (session_id) WHERE i.process_id = ?`,
    [world.processID],
  );
  const byID = new Map(rows.map((row) => [row.instance_id, row]));
  const byOrder = Map.groupBy(rows, ({ request_id: order }) => order);
  const { accepted, refused, unknown, calls } = callers;
  const lost = [...accepted].filter(([, instanceID]) => !byID.has(instanceID));
  const answeredTwice = accepted.size - new Set(accepted.values()).size;
  const twiceStored = [...byOrder].filter(([, list]) => list.length > 1);
  const twiceRun = [...effects.calls].filter(([, { times }]) => times > 1);
  // The origin maps no variables, so the instances of webhook calls have neither an order nor the secret.
  const withoutSecret = [...effects.calls].filter(([, { order, token }]) => order !== '' && token !== SECRET);
  const storedRefusals = [...refused].filter(([order]) => byOrder.has(order));
  const strangers = rows.filter(
    ({ request_id: order, trigger_kind: kind }) =>
      kind !== 'schedule' && !accepted.has(order) && !unknown.has(order) && !refused.has(order),
  );
  const succeededWithoutEffect = rows.filter((row) => row.status === 'success' && !effects.calls.has(row.instance_id));
  const crashed = rows.filter(({ outcome }) => outcome === 'CRASHED');
  const cutOff = rows.filter(({ outcome, error_message: text }) => outcome === 'ERROR' && CUT_OFF_MESSAGE.test(text));
  const wrongEnds = rows
    .filter(
      ({ status, outcome, error_message: text }) =>
        status !== 'success' && !(outcome === 'CRASHED' && text === AGENT_LOST_MESSAGE) && isEnded(status),
    )
    .filter((row) => !cutOff.includes(row));
  const wrongAnswers = {};
  for (const call of calls) {
    if (!hasSucceeded(call) && !wasCutOff(call) && !wasRefused(call)) {
      const name = `${call.kind} ${call.name}`;
      wrongAnswers[name] = (wrongAnswers[name] ?? 0) + 1;
    }
  }
  const ledger = await ledgerOf(database, world);
  const slow = phases.flatMap(({ name, fault, repaired }) => [
    ...(fault.recoveryMs > MAX_RECOVERY_MS ? [`${name}: recovered after ${secondsText(fault.recoveryMs)}`] : []),
    ...(repaired?.recoveryMs > MAX_RECOVERY_MS
      ? [`${name}, repaired: recovered after ${secondsText(repaired.recoveryMs)}`]
      : []),
  ]);
  const sentenceAbout = (list, what, textOf) =>
    list.length > 0 ? [`${list.length} ${what}: ${list.slice(0, MAX_SHOWN_EXAMPLES).map(textOf).join(', ')}`] : [];
  return {
    starts: { accepted: accepted.size, refused: refused.size, unknown: unknown.size, stored: rows.length },
    calls: calls.length,
    failed: { cutOff: calls.filter(wasCutOff).length, refused: calls.filter(wasRefused).length },
    runs: effects.calls.size,
    lost: lost.length,
    storedTwice: twiceStored.length,
    ranTwice: twiceRun.length,
    crashed: crashed.length,
    cutOff: cutOff.length,
    ledger,
    broken: [
      ...sentenceAbout(lost, 'accepted starts are lost', ([order]) => order),
      ...(answeredTwice > 0 ? [`${answeredTwice} orders were answered with the instance of another`] : []),
      ...sentenceAbout(twiceStored, 'orders were stored twice', ([order]) => order),
      ...sentenceAbout(twiceRun, 'instances ran twice', ([instanceID]) => instanceID),
      ...sentenceAbout(withoutSecret, 'instances ran without their secret value', ([instanceID]) => instanceID),
      ...sentenceAbout(storedRefusals, 'refused calls were stored', ([order, name]) => `${order} (${name})`),
      ...sentenceAbout(strangers, 'instances are nobody’s', ({ instance_id: id }) => id),
      ...sentenceAbout(succeededWithoutEffect, 'instances succeeded without their effect', ({ instance_id: id }) => id),
      ...sentenceAbout(
        wrongEnds,
        'instances ended otherwise',
        (row) => `${row.status} ${row.outcome} ${row.error_message}`,
      ),
      ...sentenceAbout(
        [...callers.neverAccepted],
        'orders were never accepted',
        ([order, name]) => `${order} (${name})`,
      ),
      ...sentenceAbout(unended, 'instances never ended', ({ instance_id: id, status }) => `${id} ${status}`),
      ...Object.entries(wrongAnswers).map(([name, times]) => `${times} calls failed with ${name}`),
      ...(ledger.balance === ledger.due && ledger.sum === ledger.due
        ? []
        : [`the balance is ${ledger.balance} and the ledger ${ledger.sum}, where ${ledger.due} are due`]),
      ...(options.short ? [] : slow),
    ],
  };
}

const ENDED = ['success', 'error', 'terminated', 'stopped'];
const isEnded = (status) => ENDED.includes(status);

/** Waits until all instances have ended; returns those that have not when the time limit passes. */
async function untilAllEnded(database, { processID }) {
  const deadline = Date.now() + END_TIME_LIMIT_MS;
  for (;;) {
    const [rows] = await database.query(
      'SELECT instance_id, status FROM instance WHERE process_id = ? AND status NOT IN (?)',
      [processID, ENDED],
    );
    if (rows.length === 0 || Date.now() > deadline) return rows;
    await sleep(500);
  }
}

/** Sums of the company's credits in the database; `due` = the credits of the plan minus one for each stored instance. */
async function ledgerOf(database, { companyID }) {
  const sum = async (sql) => Number((await database.query(sql, [companyID]))[0][0].n);
  const stored = await sum('SELECT COUNT(*) AS n FROM instance WHERE company_id = ?');
  return {
    balance: await sum('SELECT balance AS n FROM credit_account WHERE company_id = ?'),
    sum: await sum('SELECT SUM(amount) AS n FROM credit_entry WHERE company_id = ?'),
    due: MONTHLY_CREDITS - stored,
  };
}

/** `1500` → `1.5 s`. */
export const secondsText = (milliseconds) => `${(milliseconds / 1_000).toFixed(1)} s`;
