import {
  changeStep,
  routesOf,
  stepNamed,
  withRoutes,
  type DraftFlow,
  type DraftRoute,
  type RouteKind,
} from '../../../flow/draft';

/** A route, by its step and its index in the step's list `kind`. */
export interface RouteLocation {
  step: string;
  kind: RouteKind;
  index: number;
}

/** Maximum number of routes in each list of a step, as in the JSON Schema of the flow. */
export const MAX_ROUTES = 50;

/**
 * Adds a route from one step to another. If the list has a route without condition, which is always taken, the new one is put before that
 * and gets a condition that never holds, for the user to replace. Adds nothing if a step is missing, if the list has a route there without
 * a condition, or if it has MAX_ROUTES routes.
 */
export function connect(flow: DraftFlow, from: string, kind: RouteKind, to: string): DraftFlow {
  const step = stepNamed(flow, from);
  if (!step || !stepNamed(flow, to)) return flow;
  const routes = routesOf(step, kind);
  if (routes.length >= MAX_ROUTES || routes.some((route) => route.to === to && route.when === undefined)) return flow;
  const always = routes.findIndex((route) => route.when === undefined);
  const next =
    always < 0 ? [...routes, { to }] : [...routes.slice(0, always), { when: NEVER_TRUE, to }, ...routes.slice(always)];
  return changeStep(flow, from, (each) => withRoutes(each, kind, next));
}

/** The condition of a new route that a route without condition would make unreachable. */
const NEVER_TRUE = 'false';

/** The flow without this route. */
export function disconnect(flow: DraftFlow, { step, kind, index }: RouteLocation): DraftFlow {
  return changeRoutes(flow, step, kind, (routes) => routes.filter((_, at) => at !== index));
}

/** The flow in which this route leads to the step `to`, under the same condition. */
export function redirect(flow: DraftFlow, { step, kind, index }: RouteLocation, to: string): DraftFlow {
  return changeRoutes(flow, step, kind, (routes) =>
    routes.map((route, at) => (at === index ? { ...conditionOf(route), to } : route)),
  );
}

/** The indexes of the routes that are never taken, because a route before them has no condition. */
export function unreachableRoutes(routes: readonly DraftRoute[]): number[] {
  const always = routes.findIndex((route) => route.when === undefined);
  return always < 0 ? [] : routes.map((_, index) => index).slice(always + 1);
}

function changeRoutes(
  flow: DraftFlow,
  step: string,
  kind: RouteKind,
  change: (routes: readonly DraftRoute[]) => readonly DraftRoute[],
): DraftFlow {
  return changeStep(flow, step, (each) => withRoutes(each, kind, change(routesOf(each, kind))));
}

function conditionOf(route: DraftRoute): DraftRoute {
  return route.when === undefined ? {} : { when: route.when };
}
