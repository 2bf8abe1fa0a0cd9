import {
  OUTCOMES,
  type Outcome,
  type Statistics,
  type StatisticsBucket,
  type StatisticsRequest,
} from '@batuta/contracts';
import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Injectable } from '@nestjs/common';
import { DateTime } from 'luxon';
import { CALENDAR_TIME_ZONE } from '../credits/credit-period';

const DAY_MS = 86_400_000;
const MAX_PERIOD_DAYS = 31;
/** Approximate maximum of the instances that one request counts; reading this many takes less than a second. */
const MAX_COUNTED_RUNS = 50_000;
const BUCKET_SECONDS = { hour: 3_600, day: 86_400 };

/** A process whose ended instances are counted: all of them, or only those that `starterID` started. */
interface CountedProcess {
  processID: string;
  starterID: string | null;
}

/** The newest instances of one process in the period, at most its share of MAX_COUNTED_RUNS. */
interface CountedShare {
  process: CountedProcess;
  counted: number;
  /** The time of the oldest counted instance. */
  oldest: Date;
}

interface CountedPeriod {
  from: Date;
  to: Date;
  by: 'hour' | 'day';
  /** Instances that were accepted before this time are left out. */
  acceptedFrom: Date | undefined;
}

/**
 * `p50` and `p95`: percentiles of the durations in the bucket, in milliseconds. `all50` and `all95` are only a step towards those of the whole
 * period: the bucket's longest duration up to that percentile, null without one; the maximum over all buckets is the percentile.
 */
type BucketRow = Record<'p50' | 'p95' | 'all50' | 'all95', number | null> & { bucket: number } & Record<
    Outcome,
    number
  >;

/**
 * Counts the ended instances of the processes that an account owns, with bounded cost, by the hour or day in America/Sao_Paulo in which they
 * began or, if they never ran, were accepted; debug runs do not count. `asListed` adds those that the account started in processes shared with
 * it, and leaves out those that were accepted before the period.
 */
@Injectable()
export class StatisticsService {
  constructor(private readonly store: Store) {}

  /**
   * Counts back from the end of the period; `since` in the result is where the count begins, later than `from` when there are too many
   * instances. Throws BAD_REQUEST for an empty period, and for one of more than MAX_PERIOD_DAYS.
   */
  async statistics({ accountID, processID, by, asListed, ...period }: StatisticsRequest): Promise<Statistics> {
    const [from, to] = [new Date(period.from), new Date(period.to)];
    requireShortPeriod(from, to);
    const processes = await this.processesOf({ accountID, processID, asListed });
    const since = await this.countedSince(processes, from, to);
    const acceptedFrom = asListed ? from : undefined;
    const rows = processes.length === 0 ? [] : await this.bucketRows(processes, { from: since, to, by, acceptedFrom });
    return toStatistics(rows, { since, by, offset: offsetSeconds(to) });
  }

  private async processesOf({
    accountID,
    processID,
    asListed,
  }: Pick<StatisticsRequest, 'accountID' | 'processID' | 'asListed'>): Promise<CountedProcess[]> {
    const one = processID === undefined ? '' : 'AND process_id = ?';
    const parameters = processID === undefined ? [accountID] : [accountID, processID];
    const shared = `UNION ALL SELECT process_id, account_id FROM process_share WHERE account_id = ? ${one}`;
    const rows = await this.store.rows<{ process_id: string; starter_id: string | null }>(
      `SELECT process_id, NULL AS starter_id FROM process WHERE account_id = ? ${one} ${asListed ? shared : ''} ORDER BY process_id`,
      asListed ? [...parameters, ...parameters] : parameters,
    );
    return rows.map((row) => ({ processID: row.process_id, starterID: row.starter_id }));
  }

  /**
   * The beginning of the newest part of the period that has about MAX_COUNTED_RUNS instances; `from` when the whole
   * period has fewer. Each process first gets an equal share, and processes with more instances get the unused rest.
   */
  private async countedSince(processes: CountedProcess[], from: Date, to: Date): Promise<Date> {
    if (processes.length === 0) return from;
    const share = Math.max(1, Math.floor(MAX_COUNTED_RUNS / processes.length));
    const first = await this.countShares(processes, { from, to, share });
    const busy = first.filter(({ counted }) => counted === share).map(({ process }) => process);
    if (busy.length === 0) return from;
    const unused = first.reduce((sum, { counted }) => sum + share - counted, 0);
    const larger = share + Math.floor(unused / busy.length);
    const second = await this.countShares(busy, { from, to, share: larger });
    const cutAt = second.flatMap(({ counted, oldest }) => (counted === larger ? [oldest.getTime()] : []));
    return new Date(Math.max(from.getTime(), ...cutAt));
  }

  private async countShares(
    processes: CountedProcess[],
    { from, to, share }: { from: Date; to: Date; share: number },
  ): Promise<CountedShare[]> {
    const ranges = processes.map(rangeOf);
    const parts = ranges.map(
      ({ index, condition, time }, place) => `SELECT ${place} AS place, COUNT(*) AS counted, MIN(at) AS oldest FROM (
        SELECT ${time} AS at FROM instance FORCE INDEX (${index}) WHERE ${condition} AND ${time} >= ? AND ${time} < ?
         ORDER BY ${time} DESC LIMIT ?) newest`,
    );
    const rows = await this.store.rows<{ place: number; counted: number; oldest: Date | null }>(
      parts.join(' UNION ALL '),
      ranges.flatMap(({ values }) => [...values, from, to, share]),
    );
    return rows.flatMap(({ place, counted, oldest }) => {
      const process = processes[place];
      return process ? [{ process, counted, oldest: oldest ?? from }] : [];
    });
  }

  /**
   * Instances without a duration come last, so that the ranks of durations begin at the longest one. `PARTITION BY
   * bucket IS NULL` is one partition of all rows: MariaDB computes an empty `OVER ()` wrongly beside other windows.
   */
  private bucketRows(processes: CountedProcess[], { from, to, by, acceptedFrom }: CountedPeriod): Promise<BucketRow[]> {
    const seconds = BUCKET_SECONDS[by];
    const counts = OUTCOMES.map((outcome) => `COUNT(IF(outcome = '${outcome}', 1, NULL)) AS \`${outcome}\``).join(', ');
    const ranges = processes.map(rangeOf);
    const accepted = acceptedFrom ? 'AND accepted_at >= ? AND history_at IS NOT NULL' : '';
    const parts = ranges.map(
      ({
        index,
        condition,
        time,
      }) => `(SELECT outcome, history_at, started_at, finished_at FROM instance FORCE INDEX (${index})
        WHERE ${condition} AND ${time} >= ? AND ${time} < ? ${accepted})`,
    );
    return this.store.rows<BucketRow>(
      `SELECT bucket, ${counts}, ${percentile(0.5, '')} AS p50, ${percentile(0.95, '')} AS p95,
              ${percentile(0.5, 'all_')} AS all50, ${percentile(0.95, 'all_')} AS all95 FROM (
         SELECT bucket, outcome, ms, ROW_NUMBER() OVER (PARTITION BY bucket ORDER BY ms DESC) AS place,
                COUNT(ms) OVER (PARTITION BY bucket) AS measured,
                ROW_NUMBER() OVER (ORDER BY ms DESC) AS all_place, COUNT(ms) OVER (PARTITION BY bucket IS NULL) AS all_measured
           FROM (SELECT outcome, GREATEST(0, TIMESTAMPDIFF(MICROSECOND, started_at, finished_at) DIV 1000) AS ms,
                        (TIMESTAMPDIFF(SECOND, '1970-01-01', history_at) + ?) DIV ${seconds} AS bucket
                   FROM (${parts.join(' UNION ALL ')}) counted) timed) ranked
        GROUP BY bucket ORDER BY bucket`,
      [
        offsetSeconds(to),
        ...ranges.flatMap(({ values }) => [...values, from, to, ...(acceptedFrom ? [acceptedFrom] : [])]),
      ],
    );
  }
}

/** The index that has the instances of a process in one range, the condition of the range, and the time that orders it. */
function rangeOf({ processID, starterID }: CountedProcess) {
  if (starterID === null)
    return { index: 'instance_history', condition: 'process_id = ?', values: [processID], time: 'history_at' };
  const condition = 'process_id = ? AND starter_account_id = ?';
  return { index: 'instance_starter', condition, values: [processID, starterID], time: 'accepted_at' };
}

/** SQL of a percentile by the nearest-rank method. Ranks begin at the longest duration. */
function percentile(part: number, ranks: '' | 'all_'): string {
  return `MAX(CASE WHEN ${ranks}place > ${ranks}measured - CEIL(${part} * ${ranks}measured) THEN ms END)`;
}

function toStatistics(
  rows: BucketRow[],
  { since, by, offset }: { since: Date; by: 'hour' | 'day'; offset: number },
): Statistics {
  const seconds = BUCKET_SECONDS[by];
  const buckets = rows.map((row): StatisticsBucket => ({
    at: new Date((row.bucket * seconds - offset) * 1_000).toISOString(),
    outcomes: outcomesOf((outcome) => row[outcome]),
    p50Ms: row.p50,
    p95Ms: row.p95,
  }));
  return {
    buckets,
    outcomes: outcomesOf((outcome) => buckets.reduce((sum, { outcomes }) => sum + outcomes[outcome], 0)),
    p50Ms: maxOfKnown(rows.map(({ all50 }) => all50)),
    p95Ms: maxOfKnown(rows.map(({ all95 }) => all95)),
    since: since.toISOString(),
  };
}

function outcomesOf(count: (outcome: Outcome) => number): Record<Outcome, number> {
  return {
    FINALIZED: count('FINALIZED'),
    TERMINATED: count('TERMINATED'),
    STEP_LIMIT_REACHED: count('STEP_LIMIT_REACHED'),
    ERROR: count('ERROR'),
    STOPPED: count('STOPPED'),
    CRASHED: count('CRASHED'),
  };
}

function maxOfKnown(values: (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}

function requireShortPeriod(from: Date, to: Date): void {
  if (to > from && to.getTime() - from.getTime() <= MAX_PERIOD_DAYS * DAY_MS) return;
  throw new ApiError('BAD_REQUEST', `to: must be after \`from\`, and at most ${MAX_PERIOD_DAYS} days later`);
}

/** Brazil has had no daylight saving time since 2019, so one offset holds for the whole period. */
function offsetSeconds(at: Date): number {
  return DateTime.fromJSDate(at, { zone: CALENDAR_TIME_ZONE }).offset * 60;
}
