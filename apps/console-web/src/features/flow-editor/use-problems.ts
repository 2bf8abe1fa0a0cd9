import { useMutation } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { CallError } from '../../api/error';
import type { DraftFlow } from './model/draft';
import { placeProblems, problemsIn, type PlacedProblem, type ToldProblem } from './model/problems';
import { checkFlow } from './queries';

const PAUSE_MS = 500;
const MAX_RETRIES = 10;

interface Checked {
  flow: unknown;
  problems: ToldProblem[];
  warnings: ToldProblem[];
}

/** The problems of the flow as the console tells them: when it was read, and after each pause in typing. */
export function useProblems(
  pid: string,
  flow: DraftFlow,
  first: Checked,
): { problems: PlacedProblem[]; isChecking: boolean } {
  // For a process without a saved flow the API reports a problem, which the flow on the canvas does not have.
  const [checked, setChecked] = useState(first.flow === null ? { ...first, problems: [] } : first);
  const { mutate } = useMutation({
    mutationFn: (definition: DraftFlow) => checkFlow(pid, definition),
    // The list of problems must not stay that of an earlier flow because the console was away for a moment.
    retry: (failures, error) => failures < MAX_RETRIES && error instanceof CallError && error.isPassing,
    onSuccess: (told, definition) =>
      setChecked({
        flow: definition,
        problems: told.problems,
        warnings: told.warnings,
      }),
  });
  useEffect(() => {
    if (checked.flow === flow || flow.steps.length === 0) return undefined;
    const timer = setTimeout(() => mutate(flow), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [flow, checked.flow, mutate]);
  const problems = useMemo(
    () => (flow.steps.length === 0 ? [] : problemsIn(flow, placeProblems(checked.flow, checked))),
    [flow, checked],
  );
  return { problems, isChecking: checked.flow !== flow };
}
