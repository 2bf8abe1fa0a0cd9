import { useMutation } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CallError } from '../../api/error';
import type { DraftFlow } from '../../flow/draft';
import { problemText } from './model/flow-rules';
import { placeProblems, problemsIn, type PlacedProblem, type ReportedProblem } from './model/problems';
import { checkFlow } from './queries';

const CHECK_DELAY_MS = 500;
const MAX_RETRIES = 10;

interface Checked {
  flow: unknown;
  problems: ReportedProblem[];
  warnings: ReportedProblem[];
}

/**
 * The problems that the console reports: first those of the flow as it was read, then those of a check after each pause
 * in typing.
 */
export function useProblems(
  pid: string,
  flow: DraftFlow,
  first: Checked,
): { problems: PlacedProblem[]; isChecking: boolean } {
  // For a process without a saved flow the API reports a problem, which the flow on the canvas does not have.
  const [checked, setChecked] = useState(first.flow === null ? { ...first, problems: [] } : first);
  const { mutate } = useMutation({
    mutationFn: (definition: DraftFlow) => checkFlow(pid, definition),
    // Retries, because otherwise the problems of an earlier flow would stay after a short outage of the console.
    retry: (failures, error) => failures < MAX_RETRIES && error instanceof CallError && error.isTemporary,
    onSuccess: (found, definition) =>
      setChecked({
        flow: definition,
        problems: found.problems,
        warnings: found.warnings,
      }),
  });
  useEffect(() => {
    if (checked.flow === flow || flow.steps.length === 0) return undefined;
    const timer = setTimeout(() => mutate(flow), CHECK_DELAY_MS);
    return () => clearTimeout(timer);
  }, [flow, checked.flow, mutate]);
  const { i18n } = useTranslation();
  const problems = useMemo(() => {
    if (flow.steps.length === 0) return [];
    const placed = problemsIn(flow, placeProblems(checked.flow, checked));
    return placed.map((problem) => ({ ...problem, message: problemText(problem.message) }));
    // The texts are those of the current language.
  }, [flow, checked, i18n.language]);
  return { problems, isChecking: checked.flow !== flow };
}
