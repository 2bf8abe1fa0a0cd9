import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { VariableAnswer } from '../../../api/generated/console-api';
import { CallError } from '../../../api/error';
import { processQueryKeys } from '../queries';
import { matrixDraftOf, inputOf, isChanged, isSameMatrix, type DraftVariable } from './matrix-draft';
import { matrixQuery, readMatrix, replaceMatrix } from './queries';

/**
 * The draft of a Matrix that the user edits. Its rows follow the saved Matrix until the user changes one; then they keep the draft until it is
 * saved or discarded. `save` resolves to the saved Matrix, or to the conflicting one that another user saved meanwhile.
 */
export function useMatrixDraft(pid: string, saved: VariableAnswer[]) {
  const queryClient = useQueryClient();
  const [edit, setEdit] = useState<{ base: VariableAnswer[]; rows: DraftVariable[] }>();
  /** The Matrix that another user saved since the edit began; set by a save that found it, until the user decides. */
  const [conflictingMatrix, setConflictingMatrix] = useState<VariableAnswer[]>();
  const rows = edit?.rows ?? matrixDraftOf(saved);
  const isDirty = edit !== undefined && isChanged(edit.rows, edit.base);
  const store = (matrix: VariableAnswer[]) => {
    queryClient.setQueryData(matrixQuery(pid).queryKey, matrix);
    setConflictingMatrix(undefined);
    setEdit(undefined);
    return queryClient.invalidateQueries({ queryKey: processQueryKeys.one(pid) });
  };
  const save = useMutation({
    // `over` = the Matrix of another user that this user chose to replace.
    mutationFn: async ({ over }: { over?: VariableAnswer[] }) => {
      const { matrix: current, tag } = await readMatrix(pid);
      const replaceable = [edit?.base ?? saved, ...(over ? [over] : [])];
      if (!replaceable.some((known) => isSameMatrix(current, known))) return { conflictingMatrix: current };
      try {
        return { matrix: await replaceMatrix(pid, inputOf(rows, current), tag) };
      } catch (error) {
        // Another user saved the Matrix after it was read above.
        if (!(error instanceof CallError && error.isOutdated)) throw error;
        return { conflictingMatrix: (await readMatrix(pid)).matrix };
      }
    },
    onSuccess: (outcome) =>
      'conflictingMatrix' in outcome ? setConflictingMatrix(outcome.conflictingMatrix) : store(outcome.matrix),
  });
  return {
    rows,
    isDirty,
    save,
    conflictingMatrix,
    change: (next: DraftVariable[]) => {
      save.reset();
      setEdit({ base: edit?.base ?? saved, rows: next });
    },
    discard: () => {
      save.reset();
      setEdit(undefined);
    },
    /** Resolves a conflict: the Matrix that another user saved replaces this edit. */
    acceptConflictingMatrix: () => conflictingMatrix && void store(conflictingMatrix),
    /** Closes the conflict and keeps the edit; a save finds the conflict again as long as that Matrix is stored. */
    keepEditing: () => setConflictingMatrix(undefined),
  };
}
