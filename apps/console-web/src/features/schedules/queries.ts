import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answerTo, api } from '../../api/client';
import type { FiringList, ScheduleChangeInput, ScheduleInput, ScheduleList } from '../../api/generated/console-api';
import { throwTranslated } from './cron-refusals';
import { cronWords } from './cron-words';

const FIRINGS_PER_PAGE = 50;
const REFRESH_INTERVAL_MS = 10_000;

/** Every key of this feature begins with `schedules`, so that a change can invalidate all of them. */
export const scheduleKeys = { all: ['schedules'] as const };

/**
 * The schedules of one process, whoever created them, or those of the own processes and those that the account created on shared ones; oldest
 * first.
 */
export const schedulesQuery = (process?: string) =>
  infiniteQueryOptions({
    queryKey: [...scheduleKeys.all, 'list', process],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: after, signal }) =>
      answerTo(
        process === undefined
          ? api.GET('/manage/v1/schedules', { params: { query: { after } }, signal })
          : api.GET('/manage/v1/processes/{pid}/schedules', {
              params: { path: { pid: process }, query: { after } },
              signal,
            }),
      ),
    getNextPageParam: ({ newer }: ScheduleList) => newer?.after,
  });

export const readSchedule = (id: string, signal?: AbortSignal) =>
  answerTo(api.GET('/manage/v1/schedules/{id}', { params: { path: { id } }, signal }));

export const scheduleQuery = (id: string) =>
  queryOptions({
    queryKey: [...scheduleKeys.all, 'one', id],
    queryFn: ({ signal }) => readSchedule(id, signal),
  });

/**
 * Every day of a month such as `2026-11` in São Paulo, with its recorded firings by result and, unless the schedule is switched off, its first 24
 * nominal times still to come.
 */
export const calendarQuery = (id: string, month: string) =>
  queryOptions({
    queryKey: [...scheduleKeys.all, 'calendar', id, month],
    refetchInterval: REFRESH_INTERVAL_MS,
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: { month } };
      return (await answerTo(api.GET('/manage/v1/schedules/{id}/calendar', { params, signal }))).days;
    },
  });

/** The firings of a period from `from`, included, to `until`, not included, the newest first. */
export const firingsQuery = (id: string, period: { from: string; until: string }) =>
  infiniteQueryOptions({
    queryKey: [...scheduleKeys.all, 'firings', id, period],
    refetchInterval: REFRESH_INTERVAL_MS,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: before = period.until, signal }) => {
      const query = { from: period.from, before, limit: FIRINGS_PER_PAGE };
      return answerTo(api.GET('/manage/v1/schedules/{id}/firings', { params: { path: { id }, query }, signal }));
    },
    getNextPageParam: ({ older }: FiringList) => older?.before,
  });

/** The next ten nominal times of a cron expression, from now on. Throws CallError with a translation for a refused expression. */
export const upcomingTimesQuery = (cronExpression: string) =>
  queryOptions({
    queryKey: [...scheduleKeys.all, 'preview', cronExpression],
    enabled: cronExpression !== '',
    retry: false,
    queryFn: async ({ signal }) => {
      const preview = api.POST('/manage/v1/schedules/preview', { body: { cronExpression }, signal });
      return (await answerTo(preview).catch(throwTranslated)).times;
    },
  });

/** The cron expression as a sentence; null when `cronWords` has none. */
export const cronWordsQuery = (cronExpression: string, language: string) =>
  queryOptions({
    queryKey: ['cron-words', language, cronExpression],
    staleTime: Infinity,
    queryFn: async () => (await cronWords(cronExpression, language)) ?? null,
  });

/** Adds a schedule, whose runs are those of the owner of the process. Refused when the plan of the owner has no scheduling. */
export const addSchedule = ({ process, ...body }: ScheduleInput & { process: string }) =>
  answerTo(api.POST('/manage/v1/processes/{pid}/schedules', { params: { path: { pid: process } }, body })).catch(
    throwTranslated,
  );

/** Changes the given fields; `matrix` replaces all values. Nominal times that are due by the former expression still fire. */
export const changeSchedule = ({ id, ...body }: ScheduleChangeInput & { id: string }) =>
  answerTo(api.PATCH('/manage/v1/schedules/{id}', { params: { path: { id } }, body })).catch(throwTranslated);

/** Switches a schedule on, which fires from its next nominal time on, or off, after which only times that are already due fire. */
export const switchSchedule = ({ id, active }: { id: string; active: boolean }) =>
  answerTo(api.PUT('/manage/v1/schedules/{id}/active', { params: { path: { id } }, body: { active } }));

/** Deletes a schedule with the record of its firings. */
export const removeSchedule = (id: string) =>
  answerTo(api.DELETE('/manage/v1/schedules/{id}', { params: { path: { id } } }));
