/** A route of a flow that is being edited. Without `to`, and unless `terminate` is true, it ends the execution without error. */
export interface DraftRoute {
  /** The condition, in JavaScript with `{name}`; without it the route is always taken. */
  readonly when?: string;
  /** The name of the next step, which the flow may lack. */
  readonly to?: string;
  /** True ends the execution as terminated. A flow with such a route that also has `to` cannot be published. */
  readonly terminate?: boolean;
}

/** A step that is being edited: name, type and routes are known to have their shape, the other fields may have mistakes. */
export interface DraftStep {
  readonly name: string;
  readonly type: string;
  readonly routes?: readonly DraftRoute[];
  readonly onError?: readonly DraftRoute[];
  readonly [field: string]: unknown;
}

/** A flow that can be drawn. Its fields besides start and steps are kept as they are. */
export interface DraftFlow {
  readonly start: string;
  readonly steps: readonly DraftStep[];
  readonly [field: string]: unknown;
}

/** The two lists of routes of a step: `routes` after its action, `onError` after its failure. */
export type RouteKind = 'routes' | 'onError';
export const ROUTE_KINDS: readonly RouteKind[] = ['routes', 'onError'];

export const EMPTY_FLOW: DraftFlow = { start: '', steps: [] };

/** Why a definition cannot be drawn; `path` is a JSON Pointer into the definition. */
export interface ShapeProblem {
  path: string;
  reason: 'not-an-object' | 'not-a-list' | 'not-a-text' | 'duplicate-name' | 'forbidden-key';
}

/** Takes any JSON as a flow that can be drawn, or says its first problem. The API finds the mistakes in the other fields of steps. */
export function readDraft(definition: unknown): { flow: DraftFlow } | { problem: ShapeProblem } {
  const problem = firstProblem(definition);
  if (problem) return { problem };
  return isDrawable(definition) ? { flow: definition } : { problem: { path: '', reason: 'not-an-object' } };
}

/** True when `firstProblem` finds nothing. Only this type guard makes unknown JSON a `DraftFlow`. */
function isDrawable(definition: unknown): definition is DraftFlow {
  return firstProblem(definition) === undefined;
}

function firstProblem(definition: unknown): ShapeProblem | undefined {
  if (!isRecord(definition)) return { path: '', reason: 'not-an-object' };
  if (typeof definition.start !== 'string') return { path: '/start', reason: 'not-a-text' };
  if (!Array.isArray(definition.steps)) return { path: '/steps', reason: 'not-a-list' };
  const names = new Set<string>();
  for (const [index, step] of definition.steps.entries()) {
    const problem = stepProblem(step);
    const path = `/steps/${index}`;
    if (problem) return { ...problem, path: `${path}${problem.path}` };
    const name = isRecord(step) && typeof step.name === 'string' ? step.name : '';
    if (names.has(name)) return { path: `${path}/name`, reason: 'duplicate-name' };
    names.add(name);
  }
  return undefined;
}

/** The first reason why JSON is no step that can be drawn; its path is relative to the step. */
function stepProblem(step: unknown): ShapeProblem | undefined {
  if (!isRecord(step)) return { path: '', reason: 'not-an-object' };
  // The key `__proto__` would change the prototype of the object.
  if (Object.hasOwn(step, '__proto__')) return { path: '', reason: 'forbidden-key' };
  if (typeof step.name !== 'string') return { path: '/name', reason: 'not-a-text' };
  if (typeof step.type !== 'string') return { path: '/type', reason: 'not-a-text' };
  return routesProblem('/routes', step.routes) ?? routesProblem('/onError', step.onError);
}

function routesProblem(path: string, routes: unknown): ShapeProblem | undefined {
  if (routes === undefined) return undefined;
  if (!Array.isArray(routes)) return { path, reason: 'not-a-list' };
  for (const [index, route] of routes.entries()) {
    if (!isRecord(route)) return { path: `${path}/${index}`, reason: 'not-an-object' };
    for (const field of ['to', 'when']) {
      const value = route[field];
      if (value !== undefined && typeof value !== 'string')
        return { path: `${path}/${index}/${field}`, reason: 'not-a-text' };
    }
  }
  return undefined;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether JSON has the shape of a step that can be drawn; its type may be unknown. */
export function isStep(value: unknown): value is DraftStep {
  return stepProblem(value) === undefined;
}

export function stepNamed(flow: DraftFlow, name: string): DraftStep | undefined {
  return flow.steps.find((step) => step.name === name);
}

export function routesOf(step: DraftStep, kind: RouteKind): readonly DraftRoute[] {
  return step[kind] ?? [];
}

/** The step with other routes; an empty list is left out, because people write no empty list either. */
export function withRoutes(step: DraftStep, kind: RouteKind, routes: readonly DraftRoute[]): DraftStep {
  if (routes.length > 0) return { ...step, [kind]: routes };
  const { [kind]: _dropped, ...rest } = step;
  return { ...rest, name: step.name, type: step.type };
}

/** The flow in which `change` has replaced the step of this name; the same steps when none has the name. */
export function changeStep(flow: DraftFlow, name: string, change: (step: DraftStep) => DraftStep): DraftFlow {
  return {
    ...flow,
    steps: flow.steps.map((step) => (step.name === name ? change(step) : step)),
  };
}
