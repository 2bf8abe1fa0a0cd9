import { isRecord, stepNamed, type DraftFlow } from '../../../flow/draft';
import type { BrokenField } from './broken-fields';
import { pointerOf, segmentsOf } from '../../../flow/pointer';

/** A problem or warning as the API reports it; `path` is a JSON Pointer into the checked flow. */
export interface ReportedProblem {
  path: string;
  message: string;
}

/** A place in a flow, by which the editor finds the field that a problem is about. */
export interface Place {
  /** Name of the step; undefined for a place outside of the steps. */
  step: string | undefined;
  /** Type of the step, which the labels of its fields depend on. */
  type: string | undefined;
  /** JSON Pointer within the step, or within the flow where there is no step. */
  field: string;
}

/** A problem at its place in the editor. */
export interface PlacedProblem extends Place {
  /** A flow with an error can be saved but not published. */
  severity: 'error' | 'warning';
  message: string;
}

/**
 * Assigns problems to steps and their fields. The paths have indexes, so they are resolved in the checked flow: the
 * steps may have changed since, and a problem stays with its step until the next check.
 */
export function placeProblems(
  checked: unknown,
  reported: { problems: readonly ReportedProblem[]; warnings: readonly ReportedProblem[] },
): PlacedProblem[] {
  const place =
    (severity: PlacedProblem['severity']) =>
    ({ path, message }: ReportedProblem): PlacedProblem => ({
      severity,
      message,
      ...placeOf(checked, path),
    });
  return [...reported.problems.map(place('error')), ...reported.warnings.map(place('warning'))];
}

/** The place that a JSON Pointer into a flow names; one without a step when the flow has no step at it. */
export function placeOf(checked: unknown, path: string): Place {
  const [list, index, ...field] = segmentsOf(path);
  const steps: unknown[] = isRecord(checked) && Array.isArray(checked.steps) ? checked.steps : [];
  const step = list === 'steps' && index !== undefined ? steps[Number(index)] : undefined;
  if (!isRecord(step) || typeof step.name !== 'string') return { step: undefined, type: undefined, field: path };
  const type = typeof step.type === 'string' ? step.type : undefined;
  return { step: step.name, type, field: pointerOf(field) };
}

/** The problems of the steps that the flow still has, and of the flow itself: errors before warnings. */
export function problemsIn(flow: DraftFlow, placed: readonly PlacedProblem[]): PlacedProblem[] {
  const names = new Set(flow.steps.map(({ name }) => name));
  const there = placed.filter(({ step }) => step === undefined || names.has(step));
  return [
    ...there.filter(({ severity }) => severity === 'error'),
    ...there.filter(({ severity }) => severity === 'warning'),
  ];
}

/** One problem, with the message for its text, for each form field whose text is not the JSON that the field needs. */
export function notJsonProblems(
  broken: readonly BrokenField[],
  flow: DraftFlow,
  messageOf: (text: string) => string,
): PlacedProblem[] {
  return broken.map(({ step, field, text }) => ({
    severity: 'error',
    message: messageOf(text),
    step,
    type: stepNamed(flow, step)?.type,
    field,
  }));
}

/** The problems of a step at a field and below it; with the empty pointer, all problems of the step. */
export function problemsAt(placed: readonly PlacedProblem[], step: string, field: string): PlacedProblem[] {
  return placed.filter((each) => each.step === step && (each.field === field || each.field.startsWith(`${field}/`)));
}
