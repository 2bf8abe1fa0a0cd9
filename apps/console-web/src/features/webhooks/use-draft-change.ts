import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { MappingEntryAnswer } from '../../api/generated/console-api';
import { editedMapping } from './mapping-draft';
import { putMappingDraft, mappingQuery, webhookKeys } from './queries';

type Change = (draft: MappingEntryAnswer[]) => MappingEntryAnswer[];

/** A mutation that stores a change of the draft, one change after the other, because each call replaces the whole list of entries. */
export function useDraftChange(oid: string) {
  const queryClient = useQueryClient();
  return useMutation({
    scope: { id: `mapping ${oid}` },
    mutationFn: async (change: Change) => {
      // Another window may have changed the mapping since this page read it, so it is read again.
      const mapping = await queryClient.fetchQuery({ ...mappingQuery(oid), staleTime: 0 });
      return putMappingDraft(oid, change(editedMapping(mapping)));
    },
    onSuccess: async (mapping) => {
      queryClient.setQueryData(mappingQuery(oid).queryKey, mapping);
      await queryClient.invalidateQueries({ queryKey: webhookKeys.allPreviews });
    },
  });
}
