import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { runKeys } from '../../runs/queries';
import { isActive } from '../../runs/run-status';
import { visitsOf, type Visit } from '../model/run-path';
import { readInstance, readLogLines } from './queries';

const POLL_INTERVAL_MS = 1_000;

/** Reads a debug run every second until it has ended: `run` = the query, `visits` = its path through the flow. Undefined reads nothing. */
export function useDebugRun(iid: string | undefined) {
  const run = useQuery({
    queryKey: runKeys.debug(iid),
    enabled: iid !== undefined,
    queryFn: async () => {
      // The state is read before the lines, so that lines that are written meanwhile are read as well.
      const instance = await readInstance(iid ?? '');
      return { instance, lines: await readLogLines(iid ?? '') };
    },
    refetchInterval: ({ state }) => (state.data && !isActive(state.data.instance.status) ? false : POLL_INTERVAL_MS),
  });
  const visits = useMemo<Visit[]>(
    () => (run.data ? visitsOf(run.data.lines, run.data.instance.status) : []),
    [run.data],
  );
  return { run, visits };
}
