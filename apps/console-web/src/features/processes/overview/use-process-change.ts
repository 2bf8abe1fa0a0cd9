import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ProcessChange } from '../../../api/generated/console-api';
import { showErrorNotification } from '../../../common/notify';
import { processQueryKeys, refreshProcessNames } from '../queries';
import { changeProcess } from './queries';

/** A mutation that saves fields of the process at once, and shows a notification when that fails. */
export function useProcessChange(pid: string) {
  return useMutation({
    mutationFn: (change: ProcessChange) => changeProcess(pid, change),
    onSuccess: useProcessRefresh(pid),
    onError: showErrorNotification,
  });
}

/** Returns a function that reads the process again, with the lists and choices that name processes. */
export function useProcessRefresh(pid: string): () => Promise<unknown> {
  const queryClient = useQueryClient();
  return () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: processQueryKeys.one(pid) }),
      refreshProcessNames(queryClient),
    ]);
}
