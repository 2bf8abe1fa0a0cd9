import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { companyProcessesQuery } from './queries';

/**
 * Returns a function that gives the text for the process of a subscription: its name, its id while no name is known or after it was deleted,
 * or `all processes` for null.
 */
export function useProcessName(): (processID: string | null) => string {
  const { t } = useTranslation('events');
  const { data: processes = [] } = useQuery(companyProcessesQuery);
  return (processID) =>
    processID === null
      ? t('allProcesses')
      : (processes.find((one) => one.processID === processID)?.processName ?? processID);
}
