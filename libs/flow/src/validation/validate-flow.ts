import type { Flow, Route, Step } from '../definition/definition';
import { isJsonTemplate } from '../substitution/json-template';
import { browserProblems } from './browser-rules';
import { newNameProblem } from './name-rules';
import { knownNames, type FlowContext, type KnownNames } from './known-names';
import type { FlowProblem } from '../definition/problem';
import { referenceProblems } from './reference-rules';
import { restProblems } from './rest-rules';
import { rowProblems } from './row-rules';
import { readShape } from './read-shape';
import { sqlProblems } from './sql-rules';
import { mappingOf } from '../substitution/mapped-fields';
import { outcomeTexts } from '../substitution/step-texts';
import { declaredFields } from './declared-fields';
import { actionReferenceProblems, stepMappingProblems, mappingWarnings, namesInFields } from './mapping-rules';

const MAX_PROBLEMS = 100;

/**
 * The problems of a definition, at most 100; a definition without problems may be published. A definition of a wrong shape
 * has only the problems of its shape. Warnings, at most 100 as well, do not prevent publication. Messages quote names and
 * never values.
 */
export function validateFlow(
  definition: unknown,
  context: FlowContext,
): { problems: FlowProblem[]; warnings: FlowProblem[]; fields: DeclaredStepFields[] } {
  const shape = readShape(definition);
  if ('problems' in shape) return { problems: shape.problems.slice(0, MAX_PROBLEMS), warnings: [], fields: [] };
  const { flow } = shape;
  const names = knownNames(flow, context);
  const warnings = flow.steps.flatMap((step, index) => withPathPrefix(`/steps/${index}`, mappingWarnings(step, names)));
  return {
    problems: ruleProblems(flow, names).slice(0, MAX_PROBLEMS),
    warnings: warnings.slice(0, MAX_PROBLEMS),
    fields: fieldsOf(flow),
  };
}

/** The fields that the texts of a step declare. `paths` = JSON Pointers into the definition; `mapped` = the mapping of the step has the field. */
export interface DeclaredStepFields {
  step: string;
  fields: { name: string; paths: string[]; mapped: boolean }[];
}

function fieldsOf({ steps }: Flow): DeclaredStepFields[] {
  return steps.flatMap((step, index) => {
    const mapping = mappingOf(step);
    const fields = declaredFields(step).map(({ name, paths }) => ({
      name,
      paths: paths.map((path) => `/steps/${index}${path}`),
      mapped: Object.hasOwn(mapping, name),
    }));
    return fields.length === 0 ? [] : [{ step: step.name, fields }];
  });
}

function withPathPrefix(prefix: string, problems: FlowProblem[]): FlowProblem[] {
  return problems.map(({ path, message }) => ({ path: `${prefix}${path}`, message }));
}

function ruleProblems(flow: Flow, names: KnownNames): FlowProblem[] {
  const start = names.steps.has(flow.start) ? [] : [{ path: '/start', message: unknownStepMessage(flow.start) }];
  const seen = new Set<string>();
  const steps = flow.steps.flatMap((step, index) => {
    const isDuplicate = seen.has(step.name);
    seen.add(step.name);
    const duplicate = isDuplicate ? [{ path: '/name', message: `"${step.name}" is the name of another step` }] : [];
    return withPathPrefix(`/steps/${index}`, [...duplicate, ...stepProblems(step, index, names)]);
  });
  return [...start, ...steps];
}

/** The problems of one step, with paths within the step. */
function stepProblems(step: Step, index: number, names: KnownNames): FlowProblem[] {
  return [
    ...resultProblems(step),
    ...rowProblems(step, index, names),
    ...stepMappingProblems(step, names),
    ...actionReferenceProblems(step, names),
    ...outcomeTexts(step).flatMap((field) => referenceProblems(field, names)),
    ...routeProblems('/routes', step.routes, names),
    ...routeProblems('/onError', step.onError, names),
    ...responseProblems(step),
    ...restProblems(step),
    ...sqlProblems(step, namesInFields(step, names)),
    ...browserProblems(step),
  ];
}

function resultProblems({ as }: Step): FlowProblem[] {
  const message = as === undefined ? undefined : newNameProblem(as);
  return message === undefined ? [] : [{ path: '/as', message }];
}

function routeProblems(path: string, routes: Route[] = [], { steps }: KnownNames): FlowProblem[] {
  return routes.flatMap(({ to }, index) =>
    to === undefined || steps.has(to) ? [] : [{ path: `${path}/${index}/to`, message: unknownStepMessage(to) }],
  );
}

function responseProblems(step: Step): FlowProblem[] {
  if (step.type !== 'webhookResponse' || isJsonTemplate(step.body, 'double')) return [];
  return [{ path: '/body', message: 'is not JSON, whatever values its variables have' }];
}

function unknownStepMessage(name: string): string {
  return `no step is named "${name}"`;
}
