import type { DraftFlow } from '../../../flow/draft';
import { graphOf } from './graph';
import { layersOf } from './layers';

/** The upper left corner of a step on the canvas. */
export interface Position {
  readonly x: number;
  readonly y: number;
}

export const NODE_WIDTH = 240;
const NODE_HEIGHT = 76;
const EXIT_HEIGHT = 24;
const GAP_BETWEEN_COLUMNS = 160;
const GAP_IN_COLUMN = 44;
const GRID_PIXELS = 10;
/** The layout puts steps on one line along routes of higher weight; `onError` routes bend instead. */
const WEIGHTS = { routes: 3, onError: 1 };

/** The height that a step takes on the canvas; each route that leads to no step is a line of its own. */
export function heightOf(exits: number): number {
  return NODE_HEIGHT + exits * EXIT_HEIGHT;
}

export interface Layout {
  steps: Map<string, Position>;
  /**
   * For each route that leads past other steps, by its id: the left ends of its straight segments, each as long as a
   * step is wide.
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
  const { nodes: items, reservedItems } = layersOf(heights, arrows, GAP_IN_COLUMN);
  const top = Math.min(...items.map(({ y, height }) => y - height / 2));
  const left = (column: number) => column * (NODE_WIDTH + GAP_BETWEEN_COLUMNS);
  const corners = items.map(({ column, y, height }) => onGrid({ x: left(column), y: y - height / 2 - top }));
  const bends = arrows.flatMap((arrow, index): [string, Position[]][] => {
    const points = (reservedItems.get(arrow) ?? []).map(({ column, y }) => ({
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

/** The positions of all steps: those that were moved by hand stay, the others are laid out. */
export function positionsOf(flow: DraftFlow, moved: ReadonlyMap<string, Position>): Map<string, Position> {
  const { steps } = layoutOf(flow);
  return new Map([...steps].map(([name, position]) => [name, moved.get(name) ?? position]));
}

/**
 * Places for new steps, each beside the one that it follows, among the places that the steps have. While no step was moved by hand, the
 * layout places all of them.
 */
export function placeNewSteps(
  flow: DraftFlow,
  moved: ReadonlyMap<string, Position>,
  names: readonly string[],
  after: string | undefined,
): ReadonlyMap<string, Position> {
  if (moved.size === 0) return moved;
  const positions = positionsOf(flow, moved);
  let last = after;
  for (const name of names) {
    positions.set(name, placeBeside(positions, last));
    last = name;
  }
  return positions;
}

/** A free place for a new step, to the right of the step that it follows. */
export function placeBeside(positions: ReadonlyMap<string, Position>, name: string | undefined): Position {
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
