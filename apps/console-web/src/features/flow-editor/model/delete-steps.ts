import { conjunctionOf, readsResultOf } from './conditions';
import {
  routesOf,
  stepNamed,
  withRoutes,
  type DraftFlow,
  type DraftRoute,
  type DraftStep,
  type RouteKind,
} from '../../../flow/draft';
import { MAX_ROUTES } from './routes';

/**
 * Removes steps one after the other and joins the routes around each: every route to a removed step is replaced by routes to the targets of
 * that step's `routes`, under both conditions. Conditions on results of the removed step, and its `onError` routes, are dropped. The step
 * after a removed start, or else the first remaining one, becomes the start.
 */
export function deleteSteps(flow: DraftFlow, names: readonly string[]): DraftFlow {
  return names.reduce(deleteStep, flow);
}

function deleteStep(flow: DraftFlow, name: string): DraftFlow {
  const removed = stepNamed(flow, name);
  if (!removed) return flow;
  const onward = onwardRoutes(removed);
  const steps = flow.steps.filter((step) => step !== removed).map((step) => closeRoutes(step, name, onward));
  const successor = onward.find((route) => route.to !== undefined)?.to;
  const start = flow.start === name ? (successor ?? steps[0]?.name ?? '') : flow.start;
  return { ...flow, start, steps };
}

/**
 * The routes that replace a route to the removed step; the last one has no condition. A condition on a result of the step is left out, or
 * its route if another route without condition leads to a step.
 */
function onwardRoutes(removed: DraftStep): readonly DraftRoute[] {
  const routes = routesOf(removed, 'routes').filter((route) => route.to !== removed.name);
  const isMeaningless = ({ when }: DraftRoute) => when !== undefined && readsResultOf(removed, when);
  const hasUnconditionalTarget = routes.some((route) => route.when === undefined && route.to !== undefined);
  const kept = routes.flatMap((route): DraftRoute[] => {
    if (!isMeaningless(route)) return [route];
    const { when: _dropped, ...always } = route;
    return hasUnconditionalTarget ? [] : [always];
  });
  const end = kept.findIndex((route) => route.when === undefined);
  return end < 0 ? [...kept, {}] : kept.slice(0, end + 1);
}

/** The step with its routes to the removed step replaced; the same step if it has none. */
function closeRoutes(step: DraftStep, removed: string, onward: readonly DraftRoute[]): DraftStep {
  return (['routes', 'onError'] as const).reduce<DraftStep>((closed, kind) => {
    const routes = routesOf(step, kind);
    if (!routes.some(({ to }) => to === removed)) return closed;
    return withRoutes(closed, kind, tidyRoutes(replaceRoutes(routes, removed, onward), kind));
  }, step);
}

/** The routes with those to the removed step replaced. If that makes more than MAX_ROUTES, only the last onward route is used. */
function replaceRoutes(
  routes: readonly DraftRoute[],
  removed: string,
  onward: readonly DraftRoute[],
): readonly DraftRoute[] {
  const last = onward.slice(-1);
  const all = routes.flatMap((route) =>
    route.to === removed ? onward.map((next) => joinRoutes(route, next)) : [route],
  );
  if (all.length <= MAX_ROUTES) return all;
  return routes.flatMap((route) => (route.to === removed ? last.map((next) => joinRoutes(route, next)) : [route]));
}

/** If the conditions cannot be joined, the condition of the route to the removed step is kept. */
function joinRoutes(before: DraftRoute, after: DraftRoute): DraftRoute {
  const { when: condition, ...target } = after;
  const when = conjunctionOf(before.when, condition) ?? before.when;
  return when === undefined ? target : { when, ...target };
}

/**
 * Removes routes that repeat the previous one, and a last route that only ends the flow, because the flow also ends
 * without it.
 */
function tidyRoutes(routes: readonly DraftRoute[], kind: RouteKind): readonly DraftRoute[] {
  const distinct = routes.filter((route, index) => !isSameRoute(route, routes[index - 1]));
  const last = distinct.at(-1);
  const isRedundantEnd = kind === 'routes' && last !== undefined && last.to === undefined && last.terminate !== true;
  return isRedundantEnd ? distinct.slice(0, -1) : distinct;
}

function isSameRoute(route: DraftRoute, other: DraftRoute | undefined): boolean {
  if (other === undefined) return false;
  return route.when === other.when && route.to === other.to && route.terminate === other.terminate;
}
