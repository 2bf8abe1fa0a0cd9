import type { Flow, Route, Step } from '../definition/definition';
import { factsOf } from '../definition/step-types';
import { isJsonTemplate } from '../substitution/json-template';
import { newNameProblem } from './name-rules';
import { knownNames, type FlowContext, type KnownNames } from './known-names';
import type { Problem } from '../definition/problem';
import { referenceProblems } from './reference-rules';
import { rowProblems } from './row-rules';
import { readShape } from './read-shape';
import { sqlProblems } from './sql-rules';
import { stepTexts } from '../substitution/step-texts';

const MAX_PROBLEMS = 100;

/**
 * The problems of a definition, at most 100; a definition without problems may be published. A definition of a wrong shape
 * has only the problems of its shape. Messages quote names and never values.
 */
export function validateFlow(definition: unknown, context: FlowContext): { problems: Problem[] } {
  const shape = readShape(definition);
  const problems = 'problems' in shape ? shape.problems : ruleProblems(shape.flow, knownNames(shape.flow, context));
  return { problems: problems.slice(0, MAX_PROBLEMS) };
}

function ruleProblems(flow: Flow, names: KnownNames): Problem[] {
  const start = names.steps.has(flow.start) ? [] : [{ path: '/start', message: noStep(flow.start) }];
  const seen = new Set<string>();
  const steps = flow.steps.flatMap((step, index) => {
    const isDuplicate = seen.has(step.name);
    seen.add(step.name);
    const duplicate = isDuplicate ? [{ path: '/name', message: `"${step.name}" is the name of another step` }] : [];
    return [...duplicate, ...stepProblems(step, index, names)].map(({ path, message }) => ({
      path: `/steps/${index}${path}`,
      message,
    }));
  });
  return [...start, ...steps];
}

/** The problems of one step, with paths within the step. */
function stepProblems(step: Step, index: number, names: KnownNames): Problem[] {
  return [
    ...typeProblems(step),
    ...resultProblems(step),
    ...rowProblems(step, index, names),
    ...stepTexts(step).flatMap((field) => referenceProblems(field, names)),
    ...routeProblems('/routes', step.routes, names),
    ...routeProblems('/onError', step.onError, names),
    ...responseProblems(step),
    ...sqlProblems(step, names),
  ];
}

/** A step that fails in every runtime is not published (interpretation 53). */
function typeProblems({ name, type }: Step): Problem[] {
  if (factsOf(type).ability !== null) return [];
  return [{ path: '/type', message: `no agent runs the type ${type} of the step "${name}" yet` }];
}

function resultProblems({ as }: Step): Problem[] {
  const message = as === undefined ? undefined : newNameProblem(as);
  return message === undefined ? [] : [{ path: '/as', message }];
}

function routeProblems(path: string, routes: Route[] = [], { steps }: KnownNames): Problem[] {
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
