import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { itemsOf } from '../../api/pages';
import { processesQuery } from '../processes/queries';

/** Names the process of a subscription or a delivery; one that nobody has shared with the reader keeps its id. */
export function useProcessName(): (processID: string | null) => string {
  const { t } = useTranslation('events');
  const processes = itemsOf(useInfiniteQuery(processesQuery).data);
  return (processID) =>
    processID === null
      ? t('allProcesses')
      : (processes.find((one) => one.processID === processID)?.processName ?? processID);
}
