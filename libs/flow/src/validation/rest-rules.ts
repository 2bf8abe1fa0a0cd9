import type { Step, StepOf } from '../definition/definition';
import type { FlowProblem } from '../definition/problem';

/** The problem of a rest step that has a body although its method sends none: the agent refuses such a call. */
export function restProblems(step: Step): FlowProblem[] {
  if (step.type !== 'rest' || (step.method !== 'GET' && step.method !== 'HEAD')) return [];
  const field = bodyField(step);
  return field === undefined
    ? []
    : [{ path: `/${field}`, message: `must be absent, because a ${step.method} call has no body` }];
}

function bodyField({ body, form, file }: StepOf<'rest'>): string | undefined {
  if (form !== undefined) return 'form';
  if (file !== undefined) return 'file';
  return body === undefined || body === null || body === '' ? undefined : 'body';
}
