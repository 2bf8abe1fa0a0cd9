import type { OutcomeCounts, StatisticsAnswer } from '../../api/generated/console-api';
import { DAY_START_MS } from '../../common/day';

export const PERIODS = ['day', 'week', 'month'] as const;
export type Period = (typeof PERIODS)[number];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const PERIOD_LENGTHS: Record<Period, { days: number; by: 'hour' | 'day' }> = {
  day: { days: 1, by: 'hour' },
  week: { days: 7, by: 'day' },
  month: { days: 30, by: 'day' },
};

/**
 * One hour or day in the charts: the counts of ended runs that started in it (or, if they ended in the queue, were accepted in it), and percentiles of
 * their durations in milliseconds, null when none of them ran.
 */
export interface ChartPoint {
  /** The beginning of the hour or day, as an ISO text. */
  at: string;
  good: number;
  failed: number;
  stopped: number;
  p50Ms: number | null;
  p95Ms: number | null;
}

interface StatisticsBucket {
  at: string;
  outcomes: OutcomeCounts;
  p50Ms: number | null;
  p95Ms: number | null;
}

/**
 * The period that the statistics are asked for: the last 24 hours, 7 days or 30 days, with the present hour or day up to now. The first
 * hour or day is whole.
 */
export function chartPeriodOf(period: Period, now: Date): { from: Date; to: Date; by: 'hour' | 'day' } {
  const { days, by } = PERIOD_LENGTHS[period];
  const length = by === 'hour' ? HOUR_MS : DAY_MS;
  const last = Math.floor((now.getTime() - DAY_START_MS) / length) * length + DAY_START_MS;
  return { from: new Date(last + length - days * DAY_MS), to: now, by };
}

type ChartPeriod = ReturnType<typeof chartPeriodOf>;

/** The time from which the ended runs of the period are counted; undefined when all are. Of very many runs the API counts only the newest. */
export function countedSince({ since }: Pick<StatisticsAnswer, 'since'>, { from }: ChartPeriod): Date | undefined {
  const time = new Date(since);
  return time > from ? time : undefined;
}

/**
 * Every hour or day of the period from `countedSince` on, also those without a run, which the answer leaves out. The first one may be counted
 * in part.
 */
export function pointsOf(answer: { buckets: StatisticsBucket[]; since: string }, period: ChartPeriod): ChartPoint[] {
  const { from, to, by } = period;
  const length = by === 'hour' ? HOUR_MS : DAY_MS;
  const counted = countedSince(answer, period) ?? from;
  const known = new Map(answer.buckets.map((bucket) => [Date.parse(bucket.at), bucket]));
  const points: ChartPoint[] = [];
  for (let at = from.getTime(); at < to.getTime(); at += length) {
    if (at + length <= counted.getTime()) continue;
    const bucket = known.get(at);
    points.push({
      at: new Date(at).toISOString(),
      ...sumsOf(bucket?.outcomes),
      p50Ms: bucket?.p50Ms ?? null,
      p95Ms: bucket?.p95Ms ?? null,
    });
  }
  return points;
}

/** Sums the outcomes in three groups, because a chart with more groups is hard to read. */
export function sumsOf(outcomes: OutcomeCounts | undefined) {
  if (!outcomes) return { good: 0, failed: 0, stopped: 0 };
  return {
    good: outcomes.FINALIZED + outcomes.TERMINATED,
    failed: outcomes.ERROR + outcomes.CRASHED + outcomes.STEP_LIMIT_REACHED,
    stopped: outcomes.STOPPED,
  };
}
