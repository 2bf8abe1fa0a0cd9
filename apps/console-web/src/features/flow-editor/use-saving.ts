import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { CallError } from '../../api/error';
import { showErrorNotification } from '../../common/notify';
import { processQueryKeys } from '../processes/queries';
import { webhookKeys } from '../webhooks/queries';
import { EMPTY_FLOW } from '../../flow/draft';
import type { EditorStore } from './model/editor-store';
import { flowTextOf } from './model/flow-text';
import { publishFlow, readFlow, saveFlow } from './queries';

/** The result of a publication: the new version, and its warnings, whose paths lead into `flow`. */
export interface Publication {
  version: number;
  flow: unknown;
  warnings: readonly string[];
}

/**
 * Saves and publishes the flow of the store. When somebody else has saved another flow meanwhile, nothing is saved and `conflict` is set until
 * the user chooses between the flows.
 */
export function useSaving(pid: string, store: EditorStore) {
  const queryClient = useQueryClient();
  /** The flow that somebody else has saved since this editor read it. */
  const [conflict, setConflict] = useState<{ theirs: unknown }>();
  const [publication, setPublication] = useState<Publication>();

  const { mutateAsync: put, isPending: isSaving } = useMutation({
    // One save after the other: a save that reads the tag before another one has stored its flow would find a conflict with it.
    scope: { id: `flow ${pid}` },
    // `over` = the flow of somebody else that the user chose to replace.
    mutationFn: async ({ over }: { over?: unknown }) => {
      const { flow } = store;
      const { flow: stored, tag } = await readFlow(pid);
      const replaceable = [store.getState().saved, flow, ...(over === undefined ? [] : [over])];
      if (!replaceable.some((known) => isSame(stored, known))) {
        setConflict({ theirs: stored });
        return false;
      }
      if (stored !== null && isSame(stored, flow)) {
        store.markSaved(flow);
        return true;
      }
      try {
        await saveFlow(pid, flow, tag);
      } catch (error) {
        // Somebody else saved the flow after it was read above.
        if (!(error instanceof CallError && error.isOutdated)) throw error;
        setConflict({ theirs: (await readFlow(pid)).flow });
        return false;
      }
      store.markSaved(flow);
      return true;
    },
  });

  /**
   * Resolves to true when the stored flow is that of the editor, and to false when it is not, and the page shows why. A flow without edits is
   * compared as well, because what is stored is published or run, and another window may have saved it.
   */
  const save = useCallback(async (): Promise<boolean> => {
    if (store.isBroken) return false;
    try {
      return await put({});
    } catch (error) {
      showErrorNotification(error);
      return false;
    }
  }, [store, put]);

  const { mutateAsync: saveAndPublish, isPending: isPublishing } = useMutation({
    // Saves as a part of the mutation, because the button must not publish again while a slow save goes on.
    mutationFn: async (): Promise<Publication | undefined> => {
      if (!(await save())) return undefined;
      const { saved } = store.getState();
      return { flow: saved, ...(await publishFlow(pid)) };
    },
  });
  const publish = useCallback(async () => {
    setPublication(undefined);
    try {
      const published = await saveAndPublish();
      if (!published) return;
      setPublication(published);
      const outdated = [processQueryKeys.all, ['flow', pid, 'published'], webhookKeys.allMappings];
      await Promise.all(outdated.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
    } catch (error) {
      showErrorNotification(error);
    }
  }, [saveAndPublish, queryClient, pid]);

  const overwrite = useCallback(async () => {
    setConflict(undefined);
    await put({ over: conflict?.theirs }).catch(showErrorNotification);
  }, [put, conflict]);
  const takeTheirs = useCallback(() => {
    if (conflict) store.reset(conflict.theirs);
    setConflict(undefined);
  }, [conflict, store]);

  return useMemo(
    () => ({
      save,
      publish,
      isSaving,
      isPublishing,
      publication,
      forgetPublication: () => setPublication(undefined),
      conflict,
      overwrite,
      takeTheirs,
      forgetConflict: () => setConflict(undefined),
    }),
    [save, publish, isSaving, isPublishing, publication, conflict, overwrite, takeTheirs],
  );
}

/** Whether two definitions are equal, order of keys included; a missing definition equals an empty flow. */
function isSame(one: unknown, other: unknown): boolean {
  return flowTextOf(one ?? EMPTY_FLOW) === flowTextOf(other ?? EMPTY_FLOW);
}
