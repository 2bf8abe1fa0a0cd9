import { useMutation } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CallError } from '../../api/error';
import type { DraftFlow } from '../../flow/draft';
import { problemText } from './model/flow-rules';
import { placeProblems, problemsIn, type PlacedProblem, type ReportedProblem } from './model/problems';
import { checkFlow } from './queries';

/** The pause after the last change, before the flow is checked. */
const CHECK_DELAY_MS = 500;
const MAX_RETRIES = 10;

/** A flow with what the API says about it. */
interface Checked {
  flow: unknown;
  problems: ReportedProblem[];
  warnings: ReportedProblem[];
}

/**
 * The problems and warnings that the API reports, in the user's language: first those of the flow as it was read, then those of a check
 * after each pause in the edits. Until then a step keeps those of the last check. A flow without steps has none.
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
    // Without retries, the problems of an earlier flow would stay after a short outage of the API.
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
    // `problemText` uses the current language, so a change of it makes the texts anew.
  }, [flow, checked, i18n.language]);
  return { problems, isChecking: checked.flow !== flow };
}
