import { useQuery } from '@tanstack/react-query';
import type { RunAnswerItem } from '../../api/generated/console-api';
import { hasPermission } from '../processes/process-access';
import { processQuery } from '../processes/queries';

/** What the account may do with the process of a run; nothing until the process has been read, and nothing once it is deleted. */
export function useRunRights({ processID, trigger }: Pick<RunAnswerItem, 'processID' | 'trigger'>) {
  const { data: process } = useQuery(processQuery(processID));
  const has = (permission: 'execute' | 'edit') => process !== undefined && hasPermission(process, permission);
  return {
    /** A debug run is repeated from the editor. */
    canRepeat: trigger !== 'debug' && has('execute'),
    canEdit: has('edit'),
    currentVersion: process?.currentVersion,
  };
}
