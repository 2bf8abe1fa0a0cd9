/** An arrow of a directed graph whose nodes are the numbers from 0. */
export interface Arrow {
  from: number;
  to: number;
  /** How strongly the arrow pulls its ends to the same height. */
  weight: number;
}

/** An item of a column: a node, or a dummy node, which is the space that a long arrow takes between two nodes. */
export interface ColumnItem {
  column: number;
  height: number;
  /** Neighbours in the previous column with the weights of their arrows, and in the next column. */
  before: [ColumnItem, number][];
  behind: [ColumnItem, number][];
  /** The vertical middle, set once the item is placed. */
  y: number;
}

export interface LayeredLayout {
  /** In the order of `heights`. */
  nodes: ColumnItem[];
  /** By arrow: one dummy node for each column between its ends. Arrows that close a cycle, or exceed MAX_SPANNED_COLUMNS, are left out. */
  dummyNodes: Map<Arrow, ColumnItem[]>;
}

/** Each pass orders all columns, from left to right or from right to left by turns. */
const ORDERING_PASSES = 8;
/** The height of the space that a long arrow takes in a column, in the unit of the heights of nodes. */
const ARROW_HEIGHT = 16;
/**
 * Maximum sum of the columns that arrows span. Arrows beyond it only decide the columns of nodes, not the places within a column, so that the
 * layout of a large graph stays fast.
 */
const MAX_SPANNED_COLUMNS = 2_000;

/**
 * Places nodes of these heights in columns from left to right, so that arrows point to the right where possible, rarely cross and are
 * short. `gap` = the space between two items of a column. A pure function, whose time grows little faster than the number of arrows.
 */
export function layersOf(heights: readonly number[], arrows: readonly Arrow[], gap: number): LayeredLayout {
  const { order, forward } = withoutCycles(heights.length, arrows);
  const columns = columnsOf(heights.length, order, forward);
  const nodes = heights.map((height, node) => itemIn(columns[node] ?? 0, height));
  const places: ColumnItem[][] = [];
  const add = (item: ColumnItem) => (places[item.column] ??= []).push(item);
  for (const node of order) {
    const item = nodes[node];
    if (item) add(item);
  }
  const dummyNodes = addArrows(nodes, forward, add);
  arrange(places.filter(Boolean), gap);
  return { nodes, dummyNodes };
}

/** The nodes in depth-first order, and the arrows without those that close a cycle. */
function withoutCycles(count: number, arrows: readonly Arrow[]): { order: number[]; forward: Arrow[] } {
  const from = arrowsBySource(arrows);
  const state = new Map<number, 'open' | 'left'>();
  const order: number[] = [];
  const forward: Arrow[] = [];
  const visit = (node: number) => {
    state.set(node, 'open');
    order.push(node);
    for (const arrow of from.get(node) ?? []) {
      if (state.get(arrow.to) === 'open') continue;
      forward.push(arrow);
      if (!state.has(arrow.to)) visit(arrow.to);
    }
    state.set(node, 'left');
  };
  for (let node = 0; node < count; node++) if (!state.has(node)) visit(node);
  return { order, forward };
}

/** The column of each node, the first one that is to the right of all nodes from which an arrow leads to it. */
function columnsOf(count: number, order: readonly number[], forward: readonly Arrow[]): number[] {
  const from = arrowsBySource(forward);
  const open = Array.from({ length: count }, () => 0);
  for (const { to } of forward) open[to] = (open[to] ?? 0) + 1;
  const columns = Array.from({ length: count }, () => 0);
  const ready = order.filter((node) => open[node] === 0);
  for (let node = ready.shift(); node !== undefined; node = ready.shift()) {
    for (const { to } of from.get(node) ?? []) {
      columns[to] = Math.max(columns[to] ?? 0, (columns[node] ?? 0) + 1);
      open[to] = (open[to] ?? 0) - 1;
      if (open[to] === 0) ready.push(to);
    }
  }
  return columns;
}

function arrowsBySource(arrows: readonly Arrow[]): Map<number, Arrow[]> {
  const grouped = new Map<number, Arrow[]>();
  for (const arrow of arrows) {
    const group = grouped.get(arrow.from);
    if (group) group.push(arrow);
    else grouped.set(arrow.from, [arrow]);
  }
  return grouped;
}

/** Joins the ends of the arrows as neighbours, with a dummy node in each column between them, which `add` puts into that column. */
function addArrows(
  nodes: readonly ColumnItem[],
  forward: readonly Arrow[],
  add: (item: ColumnItem) => void,
): Map<Arrow, ColumnItem[]> {
  const dummyNodes = new Map<Arrow, ColumnItem[]>();
  let count = 0;
  for (const arrow of forward) {
    const { from, to, weight } = arrow;
    const end = nodes[to];
    let last = nodes[from];
    if (!last || !end) continue;
    count += end.column - last.column;
    if (count > MAX_SPANNED_COLUMNS) continue;
    const own: ColumnItem[] = [];
    for (let column = last.column + 1; column < end.column; column++) {
      const dummy = itemIn(column, ARROW_HEIGHT);
      add(dummy);
      own.push(dummy);
      join(last, dummy, weight);
      last = dummy;
    }
    join(last, end, weight);
    dummyNodes.set(arrow, own);
  }
  return dummyNodes;
}

function itemIn(column: number, height: number): ColumnItem {
  return { column, height, before: [], behind: [], y: 0 };
}

function join(left: ColumnItem, right: ColumnItem, weight: number): void {
  left.behind.push([right, weight]);
  right.before.push([left, weight]);
}

/**
 * Orders each column by the average position of its neighbours, in several passes, and then places each item as near to
 * its neighbours as the order allows.
 */
function arrange(places: ColumnItem[][], gap: number): void {
  for (const column of places) placeColumn(column, gap);
  for (let sweep = 0; sweep < ORDERING_PASSES; sweep++) {
    const forwards = sweep % 2 === 0;
    for (const column of forwards ? places : places.toReversed()) {
      for (const item of column) item.y = middleOf(forwards ? item.before : item.behind) ?? item.y;
      column.sort((a, b) => a.y - b.y);
      placeColumn(column, gap);
    }
  }
}

function middleOf(neighbours: readonly [ColumnItem, number][]): number | undefined {
  const weights = neighbours.reduce((sum, [, weight]) => sum + weight, 0);
  if (weights === 0) return undefined;
  return neighbours.reduce((sum, [item, weight]) => sum + item.y * weight, 0) / weights;
}

/** Moves the items of a column apart, each as little as possible: items that would overlap move together. */
function placeColumn(column: readonly ColumnItem[], gap: number): void {
  const blocks: { target: number; count: number }[] = [];
  const offsets: number[] = [];
  let offset = 0;
  for (const [index, item] of column.entries()) {
    if (index > 0) offset += ((column[index - 1]?.height ?? 0) + item.height) / 2 + gap;
    offsets.push(offset);
    let block = { target: item.y - offset, count: 1 };
    for (let last = blocks.at(-1); last && last.target > block.target; last = blocks.at(-1)) {
      const count = last.count + block.count;
      block = {
        target: (last.target * last.count + block.target * block.count) / count,
        count,
      };
      blocks.pop();
    }
    blocks.push(block);
  }
  const shifts = blocks.flatMap(({ target, count }) => Array.from({ length: count }, () => target));
  for (const [index, item] of column.entries()) item.y = (shifts[index] ?? 0) + (offsets[index] ?? 0);
}
