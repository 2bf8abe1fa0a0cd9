import type { Flow, Route, Step } from './definition';
import { isJsonTemplate } from './json-template';
import { newNameProblem } from './name-rules';
import { namesOf, type Names } from './names';
import type { Problem } from './problem';
import { mentionProblems } from './reference-rules';
import { rowProblems } from './row-rules';
import { readShape } from './shape';
import { stepTexts } from './step-texts';

const MOST_PROBLEMS = 100;

export interface FlowContext {
  /** The Matrix variables registered for the process. */
  matrix: { name: string; type: string }[];
}

/**
 * Everything that is wrong with a definition, at most 100 problems; none = it may be published. The rules speak only
 * of a definition whose shape is right. Messages quote names and never values.
 */
export function validateFlow(definition: unknown, context: FlowContext): { problems: Problem[] } {
  const shape = readShape(definition);
  const problems = 'problems' in shape ? shape.problems : ruleProblems(shape.flow, namesOf(shape.flow, context.matrix));
  return { problems: problems.slice(0, MOST_PROBLEMS) };
}

function ruleProblems(flow: Flow, names: Names): Problem[] {
  const start = names.steps.has(flow.start) ? [] : [{ path: '/start', message: noStep(flow.start) }];
  const seen = new Set<string>();
  const steps = flow.steps.flatMap((step, index) => {
    const isTwin = seen.has(step.name);
    seen.add(step.name);
    const twin = isTwin ? [{ path: '/name', message: `"${step.name}" is the name of another step` }] : [];
    return [...twin, ...stepProblems(step, index, names)].map(({ path, message }) => ({
      path: `/steps/${index}${path}`,
      message,
    }));
  });
  return [...start, ...steps];
}

/** Paths are within the step. */
function stepProblems(step: Step, index: number, names: Names): Problem[] {
  return [
    ...resultProblems(step),
    ...rowProblems(step, index, names),
    ...stepTexts(step).flatMap((field) => mentionProblems(field, names)),
    ...routeProblems('/routes', step.routes, names),
    ...routeProblems('/onError', step.onError, names),
    ...responseProblems(step),
  ];
}

function resultProblems({ as }: Step): Problem[] {
  const message = as === undefined ? undefined : newNameProblem(as);
  return message === undefined ? [] : [{ path: '/as', message }];
}

function routeProblems(path: string, routes: Route[] = [], { steps }: Names): Problem[] {
  return routes.flatMap(({ to }, index) =>
    to === undefined || steps.has(to) ? [] : [{ path: `${path}/${index}/to`, message: noStep(to) }],
  );
}

function responseProblems(step: Step): Problem[] {
  if (step.type !== 'webhookResponse' || isJsonTemplate(step.body, 'double')) return [];
  return [{ path: '/body', message: 'is not JSON, whatever values its variables have' }];
}

function noStep(name: string): string {
  return `no step is named "${name}"`;
}
