import { changeStep, ROUTE_KINDS, routesOf, withRoutes, type DraftFlow, type DraftStep } from '../../../flow/draft';
import { stepNameProblem, uniqueName } from './names';
import { connect } from './routes';
import { withValueAt } from '../../../flow/pointer';
import type { RouteKind } from '../../../flow/draft';
import { isStep } from '../../../flow/draft';

/**
 * Adds a step under a free name, which is returned; the first step of a flow becomes its start. With `after`, that step gets a route to
 * the new step, as `connect` adds it.
 */
export function addStep(
  flow: DraftFlow,
  step: DraftStep,
  after?: { step: string; kind: RouteKind },
): { flow: DraftFlow; name: string } {
  const name = uniqueName(step.name, stepNames(flow));
  const start = flow.steps.length === 0 ? name : flow.start;
  const added = { ...flow, start, steps: [...flow.steps, { ...step, name }] };
  return {
    flow: after ? connect(added, after.step, after.kind, name) : added,
    name,
  };
}

/**
 * Puts a step between a step and the target of one of its routes. The condition stays on the route to the new step. If the route does not
 * exist, the new step is added without a route.
 */
export function insertInRoute(
  flow: DraftFlow,
  step: DraftStep,
  at: { step: string; kind: RouteKind; index: number },
): { flow: DraftFlow; name: string } {
  const added = addStep(flow, step);
  const before = flow.steps.find(({ name }) => name === at.step);
  const route = before && routesOf(before, at.kind)[at.index];
  if (!route) return added;
  const { when, ...onward } = route;
  const leading = { ...(when === undefined ? {} : { when }), to: added.name };
  const ends = onward.to === undefined && onward.terminate !== true;
  const rerouted = changeStep(added.flow, at.step, (each) =>
    withRoutes(each, at.kind, routesOf(each, at.kind).with(at.index, leading)),
  );
  return {
    flow: changeStep(rerouted, added.name, (each) => withRoutes(each, 'routes', ends ? [] : [onward])),
    name: added.name,
  };
}

/** Renames a step, with the start and every route to it. A name that breaks a rule changes nothing. */
export function renameStep(flow: DraftFlow, from: string, to: string): DraftFlow {
  const others = flow.steps.filter(({ name }) => name !== from).map(({ name }) => name);
  if (from === to || stepNameProblem(to, others) !== undefined) return flow;
  const steps = flow.steps.map((step) => {
    const renamed = step.name === from ? { ...step, name: to } : step;
    return retarget(renamed, (target) => (target === from ? to : target));
  });
  return { ...flow, start: flow.start === from ? to : flow.start, steps };
}

/**
 * The step with other targets of its routes; a route without a new target is removed. A step without a changed route
 * stays the same object.
 */
export function retarget(step: DraftStep, target: (to: string) => string | undefined): DraftStep {
  return ROUTE_KINDS.reduce<DraftStep>((changed, kind) => {
    const routes = routesOf(changed, kind);
    if (routes.every(({ to }) => to === undefined || target(to) === to)) return changed;
    const next = routes.flatMap((route) => {
      if (route.to === undefined) return [route];
      const to = target(route.to);
      return to === undefined ? [] : [{ ...route, to }];
    });
    return withRoutes(changed, kind, next);
  }, step);
}

/** Sets the field of a step at a JSON Pointer; undefined removes it. A change of the name is ignored, as is one that leaves no valid step. */
export function setStepField(flow: DraftFlow, name: string, pointer: string, value: unknown): DraftFlow {
  return changeStep(flow, name, (step) => {
    const changed = withValueAt(step, pointer, value);
    return isStep(changed) && changed.name === name ? changed : step;
  });
}

/** The flow with this step as its start, whether or not the flow has the step. */
export function setStart(flow: DraftFlow, name: string): DraftFlow {
  return { ...flow, start: name };
}

export function stepNames(flow: DraftFlow): Set<string> {
  return new Set(flow.steps.map(({ name }) => name));
}
