import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useReducer } from 'react';
import type { LogLineAnswer } from '../../api/generated/console-api';
import { followRun, type RunConnection, type RunBody, type RunNews } from './follow-run';
import { detailsQuery, readNewestLines } from './queries';
import { addNewer, addOlder, EMPTY_LOG, LINES_AT_ONCE, type RunLog } from './run-log';
import { addLines, addOlderLines, endPath, NO_PATH, type RunPath } from './run-path';

export interface RunStream {
  connection: RunConnection;
  /** The state of the run by the newest status event; undefined before the first one. */
  body?: RunBody;
  log: RunLog;
  path: RunPath;
  /** Why the console refused the stream for good; a lost connection is no error. */
  error?: Error;
}

type Action = RunNews | { type: 'older'; before: number; lines: LogLineAnswer[] } | { type: 'reset' };

const START: RunStream = { connection: 'connecting', log: EMPTY_LOG, path: NO_PATH };

/** The status and the log of a run as they change, over consecutive connections. */
export function useRunStream(iid: string) {
  const queryClient = useQueryClient();
  const [stream, dispatch] = useReducer(reduce, START);
  useEffect(() => {
    dispatch({ type: 'reset' });
    return followRun(iid, dispatch, {
      readNewestLines: () => readNewestLines(iid, LINES_AT_ONCE),
      readDetails: async () => {
        // The page shows the details from the cache; they hold times and the outcome, which a status event lacks.
        await queryClient.invalidateQueries({ queryKey: detailsQuery(iid).queryKey });
        await queryClient.fetchQuery(detailsQuery(iid));
      },
    });
  }, [iid, queryClient]);
  const showOlder = (before: number, lines: LogLineAnswer[]) => dispatch({ type: 'older', before, lines });
  return { ...stream, showOlder };
}

function reduce(state: RunStream, action: Action): RunStream {
  switch (action.type) {
    case 'reset':
      return START;
    case 'connection':
      return { ...state, connection: action.connection };
    case 'error':
      return { ...state, connection: 'lost', error: action.error };
    case 'older':
      return withOlder(state, addOlder(state.log, action.before, action.lines));
    case 'body': {
      const { body } = action;
      if (!('finishedAt' in body)) return { ...state, body };
      return { ...state, body, connection: 'ended', path: endedPath(state.path, body) };
    }
    default: {
      const fresh = action.lines.filter(({ number }) => number > state.log.newest);
      return { ...state, log: addNewer(state.log, fresh), path: addLines(state.path, fresh) };
    }
  }
}

function withOlder(state: RunStream, log: RunLog): RunStream {
  if (log === state.log) return state;
  const path = addOlderLines(state.path, log.lines);
  return { ...state, log, path: endedPath(path, state.body) };
}

function endedPath(path: RunPath, body: RunBody | undefined): RunPath {
  if (!body || !('finishedAt' in body)) return path;
  return { ...path, steps: endPath(path.steps, body.status, body.finishedAt) };
}
