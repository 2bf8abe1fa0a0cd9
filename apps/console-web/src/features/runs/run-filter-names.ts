import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { usePeriodNames } from '../../common/no-matches';
import { environmentChoicesQuery, processChoicesQuery } from '../processes/queries';
import type { RunSearch } from './run-filter';
import { RUN_STATUSES, TRIGGERS } from './run-status';

/** The filters of the list of runs, as their fields name them, with their values in words. */
export function useRunFilterNames({ process, environment, status, origin, from, to }: RunSearch) {
  const { t } = useTranslation('runs');
  const processes = useQuery(processChoicesQuery);
  const environments = useQuery(environmentChoicesQuery);
  const processName = processes.data?.find(({ processID }) => processID === process)?.processName;
  const environmentName = environments.data?.find(({ environmentID }) => environmentID === environment)?.name;
  const statuses = RUN_STATUSES.filter((one) => status?.split(',').includes(one));
  const origins = TRIGGERS.filter((one) => origin?.split(',').includes(one));
  const period = usePeriodNames({ from, to });
  return [
    [t('columns.process'), process && (processName ?? t('filter.oneProcess'))],
    [t('filter.environment'), environment && (environmentName ?? t('filter.oneEnvironment'))],
    [t('columns.status'), status && statuses.map((one) => t(`statuses.${one}`)).join(', ')],
    [t('columns.origin'), origin && origins.map((one) => t(`origins.${one}`)).join(', ')],
    ...period,
  ] satisfies [string, string | undefined][];
}
