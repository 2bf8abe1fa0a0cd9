import { setTimeout as sleep } from 'node:timers/promises';

/** Length of each measurement of other callers' starts: one before the due time, one from the due time on. */
const OTHERS_SECONDS = 15;
/** Time limit for every schedule to have a final result. */
const SETTLE_SECONDS = 120;
const POLL_INTERVAL_MS = 250;
/**
 * Number of connections over which other callers start instances; so few that these starts do not compete with the firings for the
 * processors.
 */
const OTHERS_CONNECTIONS = 2;
/**
 * A minute that begins in 20 to 80 seconds, in UTC, and its time in America/Sao_Paulo, the zone of schedules, which has been UTC-3 without
 * daylight saving time since 2019.
 */
const NEXT_MINUTE = `SELECT at, MINUTE(at) AS minute, HOUR(at - INTERVAL 3 HOUR) AS hour FROM (
  SELECT DATE_FORMAT(UTC_TIMESTAMP() + INTERVAL 80 SECOND, '%Y-%m-%d %H:%i:00') AS at) next`;

/**
 * Measures `options.due` schedules of one process that are due in the same second, while other callers start instances. Returns, in milliseconds,
 * p50 and p99 of the time from the nominal time to the acceptance (`lag50`, `lag99`), the time until all are settled, and the p99 of the other
 * callers' starts before and during the firings.
 */
export async function measureDueSchedules(world, { generator, options: { due }, say }) {
  const { database, company, services } = world;
  const { owner, online, queued } = company;
  const others = { url: services.gateway.url, requests: [world.startOf(online)], connections: OTHERS_CONNECTIONS };
  const usual = await generator.measure({ ...others, seconds: OTHERS_SECONDS });
  say(`Measuring: ${due.toLocaleString('en')} schedules due in the same second …`);
  const [[{ at, minute, hour }]] = await database.query(NEXT_MINUTE);
  await database.query(
    `INSERT INTO schedule (schedule_id, process_id, creator_account_id, user_name, executor, name, cron_expression, matrix, active, next_at,
       created_at)
     SELECT CONCAT('01890000-5000-7000-8000-', LPAD(HEX(seq), 12, '0')), ?, ?, 'Owner', 'Owner', 'Due', ?, '{}', 1, ?,
            UTC_TIMESTAMP(3) FROM seq_1_to_${due}`,
    [queued.processID, owner.account_id, `${minute} ${hour} * * *`, at],
  );
  const mine = "schedule_id LIKE '01890000-5000-7000-8000-%'";
  const pause = await millisecondsUntil(database, at);
  await sleep(pause);
  const [meanwhile, settledMs] = await Promise.all([
    generator.measure({ ...others, seconds: OTHERS_SECONDS }),
    untilSettled(database, mine, due),
  ]);
  const [[fired]] = await database.query(
    `SELECT COUNT(*) AS firings, COUNT(DISTINCT f.schedule_id) AS schedules, COUNT(i.instance_id) AS instances FROM schedule_firing f
       LEFT JOIN instance i ON i.instance_id = f.instance_id WHERE f.${mine} AND f.result = 'fired'`,
  );
  const [[{ lag50, lag99 }]] = await database.query(
    `SELECT MAX(IF(place <= 0.5 * total, ms, NULL)) AS lag50, MAX(IF(place <= 0.99 * total, ms, NULL)) AS lag99 FROM (
       SELECT TIMESTAMPDIFF(MICROSECOND, f.nominal_at, i.accepted_at) DIV 1000 AS ms, ROW_NUMBER() OVER (ORDER BY i.accepted_at) AS place,
              COUNT(*) OVER (PARTITION BY f.result) AS total
         FROM schedule_firing f JOIN instance i ON i.instance_id = f.instance_id WHERE f.${mine} AND f.result = 'fired') lags`,
  );
  return {
    due,
    ...fired,
    lag50,
    lag99,
    settledMs,
    othersUsual99: usual.p99,
    others99: meanwhile.p99,
    wrong: meanwhile.wrong,
  };
}

async function millisecondsUntil(database, at) {
  const [[{ ms }]] = await database.query('SELECT TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(3), ?) DIV 1000 AS ms', [
    at,
  ]);
  return Math.max(0, ms);
}

/** Resolves once the firings of all schedules have a final result, or at the time limit, to the milliseconds that this took. */
async function untilSettled(database, mine, due) {
  const began = performance.now();
  while (performance.now() - began < SETTLE_SECONDS * 1_000) {
    const [[{ settled }]] = await database.query(
      `SELECT COUNT(*) AS settled FROM schedule_firing WHERE ${mine} AND settled_at IS NOT NULL`,
    );
    if (settled >= due) break;
    await sleep(POLL_INTERVAL_MS);
  }
  return performance.now() - began;
}
