import type { DraftFlow } from '../../../flow/draft';
import { graphOf } from './graph';
import { layersOf } from './layers';

/** A point of the canvas, in its own pixels at zoom 1; of a step, its upper left corner. */
export interface Position {
  readonly x: number;
  readonly y: number;
}

/** Sizes of steps and gaps between them, in pixels of the canvas at zoom 1. */
export const NODE_WIDTH = 240;
const NODE_HEIGHT = 76;
const EXIT_HEIGHT = 24;
const GAP_BETWEEN_COLUMNS = 160;
const GAP_IN_COLUMN = 44;
/** Positions of the layout and of new steps are rounded to this grid, the `snapGrid` of the canvas. */
export const GRID_PIXELS = 10;
/** The layout puts steps on one line along routes of higher weight; `onError` routes bend instead. */
const WEIGHTS = { routes: 3, onError: 1 };

/** The height of a step on the canvas, which has one line for each of its `exits`, the routes that lead to no step. */
export function heightOf(exits: number): number {
  return NODE_HEIGHT + exits * EXIT_HEIGHT;
}

export interface Layout {
  steps: Map<string, Position>;
  /**
   * For each route that leads past a column of steps, by the id of its edge: the left ends of its straight segments, each as long as
   * a step is wide.
   */
  bends: Map<string, Position[]>;
}

/** Places all steps from left to right along their routes. The same flow always has the same layout. */
export function layoutOf(flow: DraftFlow): Layout {
  const { nodes, edges } = graphOf(flow);
  const startFirst = [...nodes.filter(({ isStart }) => isStart), ...nodes.filter(({ isStart }) => !isStart)];
  const numbers = new Map(startFirst.map(({ name }, index) => [name, index]));
  const arrows = edges.map(({ source, target, kind }) => ({
    from: numbers.get(source) ?? 0,
    to: numbers.get(target) ?? 0,
    weight: WEIGHTS[kind],
  }));
  const heights = startFirst.map(({ exits }) => heightOf(exits.length));
  const { nodes: items, dummyNodes } = layersOf(heights, arrows, GAP_IN_COLUMN);
  const top = Math.min(...items.map(({ y, height }) => y - height / 2));
  const left = (column: number) => column * (NODE_WIDTH + GAP_BETWEEN_COLUMNS);
  const corners = items.map(({ column, y, height }) => onGrid({ x: left(column), y: y - height / 2 - top }));
  const bends = arrows.flatMap((arrow, index): [string, Position[]][] => {
    const points = (dummyNodes.get(arrow) ?? []).map(({ column, y }) => ({
      x: left(column),
      y: Math.round(y - top),
    }));
    return points.length === 0 ? [] : [[edges[index]?.id ?? '', points]];
  });
  return {
    steps: new Map(nodes.map(({ name }) => [name, corners[numbers.get(name) ?? 0] ?? { x: 0, y: 0 }])),
    bends: new Map(bends),
  };
}

/** The positions of all steps: that in `moved`, or else that of the layout. */
export function positionsOf(flow: DraftFlow, moved: ReadonlyMap<string, Position>): Map<string, Position> {
  const { steps } = layoutOf(flow);
  return new Map([...steps].map(([name, position]) => [name, moved.get(name) ?? position]));
}

/**
 * The positions of the steps of `flow` and of new ones: the first beside the step `after`, each other beside the new step before it. Empty
 * while no step was moved by hand, because the layout then places all of them.
 */
export function positionsWithNewSteps(
  flow: DraftFlow,
  moved: ReadonlyMap<string, Position>,
  names: readonly string[],
  after: string | undefined,
): ReadonlyMap<string, Position> {
  if (moved.size === 0) return moved;
  const positions = positionsOf(flow, moved);
  let last = after;
  for (const name of names) {
    positions.set(name, positionBeside(positions, last));
    last = name;
  }
  return positions;
}

/** A free position for a new step: to the right of the named step, or without one below all steps, and further down until it covers no step. */
export function positionBeside(positions: ReadonlyMap<string, Position>, name: string | undefined): Position {
  const beside = name === undefined ? undefined : positions.get(name);
  let position = beside ? { x: beside.x + NODE_WIDTH + GAP_BETWEEN_COLUMNS, y: beside.y } : positionBelowAll(positions);
  while ([...positions.values()].some((taken) => overlaps(taken, position))) {
    position = { x: position.x, y: position.y + NODE_HEIGHT + GAP_IN_COLUMN };
  }
  return onGrid(position);
}

function positionBelowAll(positions: ReadonlyMap<string, Position>): Position {
  if (positions.size === 0) return { x: 0, y: 0 };
  const all = [...positions.values()];
  return {
    x: Math.min(...all.map(({ x }) => x)),
    y: Math.max(...all.map(({ y }) => y)) + NODE_HEIGHT + GAP_IN_COLUMN,
  };
}

function overlaps(a: Position, b: Position): boolean {
  return Math.abs(a.x - b.x) < NODE_WIDTH && Math.abs(a.y - b.y) < NODE_HEIGHT;
}

function onGrid({ x, y }: Position): Position {
  return { x: Math.round(x / GRID_PIXELS) * GRID_PIXELS, y: Math.round(y / GRID_PIXELS) * GRID_PIXELS };
}
