import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { MappingEntryAnswer } from '../../api/generated/console-api';
import { editedMapping } from './mapping-draft';
import { draftMapping, mappingQuery, webhookKeys } from './queries';

type Change = (draft: MappingEntryAnswer[]) => MappingEntryAnswer[];

/** Saves changes of the draft one at a time, because each save replaces the whole list. */
export function useDraft(oid: string) {
  const queryClient = useQueryClient();
  return useMutation({
    scope: { id: `mapping ${oid}` },
    mutationFn: async (change: Change) => {
      // Another window may have changed the mapping since this page read it, so it is read again.
      const mapping = await queryClient.fetchQuery({ ...mappingQuery(oid), staleTime: 0 });
      return draftMapping(oid, change(editedMapping(mapping)));
    },
    onSuccess: async (mapping) => {
      queryClient.setQueryData(mappingQuery(oid).queryKey, mapping);
      await queryClient.invalidateQueries({ queryKey: webhookKeys.allPreviews });
    },
  });
}
