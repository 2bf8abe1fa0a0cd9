import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ProcessChange } from '../../../api/generated/console-api';
import { processKeys } from '../queries';
import { changeProcess } from './queries';

export function useProcessChange(pid: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (change: ProcessChange) => changeProcess(pid, change),
    onSuccess: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: processKeys.one(pid) }),
        queryClient.invalidateQueries({ queryKey: processKeys.list }),
      ]),
  });
}
