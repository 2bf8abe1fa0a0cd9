import { queryOptions } from '@tanstack/react-query';
import type { ProcessAnswer } from '../../api/generated/console-api';
import { hasPermission } from '../processes/process-access';
import { processQueryKeys } from '../processes/queries';
import { dryRun } from '../processes/run/queries';

/** The dry run is repeated, because agents connect, credits are spent and queues grow while the page is open. */
export const REFRESH_INTERVAL_MS = 30_000;

/**
 * A dry run of the published version with the defaults of its variables, because each call brings its own values; only for an account that
 * may run the process.
 */
export const startCheckQuery = (process: ProcessAnswer) =>
  queryOptions({
    queryKey: [...processQueryKeys.one(process.processID), 'start-check'],
    enabled: hasPermission(process, 'execute'),
    refetchInterval: REFRESH_INTERVAL_MS,
    retry: false,
    queryFn: () => dryRun(process.processID, {}),
  });
