import { queryOptions } from '@tanstack/react-query';
import { answerTo, api } from '../../../api/client';
import type { CaptureDebugInput, RunInput } from '../../../api/generated/console-api';

/** The maximum of the API. Of a longer log these are the newest lines, so that the first visits of the run are missing. */
const MAX_LINES = 1_000;

export interface CaptureChoice {
  id: string;
  /** The name of the origin. */
  origin: string;
  capturedAt: string;
}

/** The captures of all origins of a process, newest first. The API keeps the last ten of each origin. */
export const processCapturesQuery = (pid: string) =>
  queryOptions({
    queryKey: ['flow', pid, 'captures'],
    queryFn: async ({ signal }): Promise<CaptureChoice[]> => {
      const { origins } = await answerTo(
        api.GET('/manage/v1/processes/{pid}/origins', {
          params: { path: { pid } },
          signal,
        }),
      );
      const lists = await Promise.all(
        origins.map(async ({ id, name }) => {
          const params = { path: { id } };
          const { captures } = await answerTo(api.GET('/manage/v1/origins/{id}/captures', { params, signal }));
          return captures.map((capture) => ({
            id: capture.id,
            origin: name,
            capturedAt: capture.capturedAt,
          }));
        }),
      );
      return lists.flat().toSorted((a, b) => b.capturedAt.localeCompare(a.capturedAt));
    },
  });

/**
 * Starts a debug run of the saved flow with the values of a capture: those of the unsaved mapping, or of the saved one when nothing is unsaved,
 * without Secretos.
 */
export const debugWithCapture = (id: string, body: CaptureDebugInput) =>
  answerTo(api.POST('/manage/v1/captures/{id}/debug', { params: { path: { id } }, body }));

/** Starts a debug run of the saved flow with typed values; costs no credit. Refused while the flow has problems. */
export const debugWith = (pid: string, body: RunInput) =>
  answerTo(api.POST('/manage/v1/processes/{pid}/debug', { params: { path: { pid } }, body }));

export const readInstance = (iid: string) =>
  answerTo(api.GET('/manage/v1/instances/{iid}', { params: { path: { iid } } }));

/** Reads the newest lines of the log, at most MAX_LINES, the oldest of them first. */
export const readLogLines = async (iid: string) =>
  (
    await answerTo(
      api.GET('/manage/v1/instances/{iid}/logs', {
        params: { path: { iid }, query: { limit: MAX_LINES } },
      }),
    )
  ).logs;
