import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { companyProcessesQuery } from './queries';

/** The text that stands for the process of a subscription or a delivery: its name, or its id once it was deleted. */
export function useProcessName(): (processID: string | null) => string {
  const { t } = useTranslation('events');
  const { data: processes = [] } = useQuery(companyProcessesQuery);
  return (processID) =>
    processID === null
      ? t('allProcesses')
      : (processes.find((one) => one.processID === processID)?.processName ?? processID);
}
