import { ROUTE_KINDS, routesOf, type DraftFlow, type DraftRoute, type RouteKind } from '../../../flow/draft';
import { unreachableRoutes, type RouteLocation } from './routes';

/** A step as the canvas shows it. */
export interface StepNode {
  name: string;
  type: string;
  isStart: boolean;
  /** True when no path leads from the start to the step. */
  isUnreachable: boolean;
  /** The step's routes that lead to no other node: they end or terminate the execution, or name a step that does not exist. */
  exits: Exit[];
}

export interface Exit {
  at: RouteLocation;
  when: string | undefined;
  does: 'end' | 'terminate' | 'missing';
  /** The name that no step has, where `does` is `missing`. */
  missing?: string;
}

/** A route between two steps, or from a step to itself. */
export interface RouteEdge {
  id: string;
  at: RouteLocation;
  source: string;
  target: string;
  kind: RouteKind;
  when: string | undefined;
  /** The place in the order in which the step's routes of this kind are checked, from 1; undefined for an only route. */
  order: number | undefined;
  /** True when an earlier route without a condition makes this route unreachable. */
  isNeverTaken: boolean;
}

export interface Graph {
  nodes: StepNode[];
  edges: RouteEdge[];
}

/** The flow as nodes and edges. */
export function graphOf(flow: DraftFlow): Graph {
  const names = new Set(flow.steps.map(({ name }) => name));
  const reachable = reachableFrom(flow, flow.start);
  const nodes: StepNode[] = [];
  const edges: RouteEdge[] = [];
  for (const step of flow.steps) {
    const exits: Exit[] = [];
    for (const kind of ROUTE_KINDS) {
      const routes = routesOf(step, kind);
      const neverTaken = new Set(unreachableRoutes(routes));
      for (const [index, route] of routes.entries()) {
        const at = { step: step.name, kind, index };
        if (route.to !== undefined && names.has(route.to)) {
          const order = routes.length > 1 ? index + 1 : undefined;
          edges.push({
            id: edgeID(at),
            at,
            source: step.name,
            target: route.to,
            kind,
            when: route.when,
            order,
            isNeverTaken: neverTaken.has(index),
          });
        } else exits.push(exitOf(at, route));
      }
    }
    nodes.push({
      name: step.name,
      type: step.type,
      isStart: step.name === flow.start,
      isUnreachable: !reachable.has(step.name),
      exits,
    });
  }
  return { nodes, edges };
}

/** JSON separates the parts, because names may have any characters. */
function edgeID({ step, kind, index }: RouteLocation): string {
  return JSON.stringify([step, kind, index]);
}

function exitOf(at: RouteLocation, route: DraftRoute): Exit {
  if (route.to !== undefined) return { at, when: route.when, does: 'missing', missing: route.to };
  return {
    at,
    when: route.when,
    does: route.terminate === true ? 'terminate' : 'end',
  };
}

/** The steps that an execution may reach from a step, with the step itself if it exists, on paths that avoid the step `without`. */
export function reachableFrom(flow: DraftFlow, start: string, without?: string): Set<string> {
  const targets = targetsByStep(flow);
  const reached = new Set<string>();
  const open = [start];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (name === without || reached.has(name) || !targets.has(name)) continue;
    reached.add(name);
    open.push(...(targets.get(name) ?? []));
  }
  return reached;
}

/** The steps on any path to a step, whether or not the start reaches them; the step itself only when a loop leads back to it. */
export function stepsBefore(flow: DraftFlow, name: string): Set<string> {
  const sources = new Map<string, string[]>();
  for (const [from, targets] of targetsByStep(flow)) {
    for (const to of targets) sources.set(to, [...(sources.get(to) ?? []), from]);
  }
  const before = new Set<string>();
  const open = [...(sources.get(name) ?? [])];
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    if (before.has(each)) continue;
    before.add(each);
    open.push(...(sources.get(each) ?? []));
  }
  return before;
}

function targetsByStep(flow: DraftFlow): Map<string, string[]> {
  return new Map(
    flow.steps.map((step) => [
      step.name,
      ROUTE_KINDS.flatMap((kind) => routesOf(step, kind).flatMap(({ to }) => (to === undefined ? [] : [to]))),
    ]),
  );
}
