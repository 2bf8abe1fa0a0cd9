import { pageBySize, type PageLimits, type Store } from '@batuta/database';
import type { LogRow } from './instance-row';

/** The lines between two line numbers, both exclusive. */
export interface LineWindow {
  after: number;
  before: number;
}

interface LineSize {
  line: number;
  bytes: number;
}

/** Consecutive lines: the numbers of the first and of the last one. */
export interface LinePage {
  first: number;
  last: number;
  /** Sum of the stored bytes and of `LINE_BYTES` for each line. */
  bytes: number;
  /** True when the window has lines beyond the page. */
  more: boolean;
}

/** Estimated bytes of a line in a reply besides its message and its evidence. */
const LINE_BYTES = 512;

/** Finds the newest lines of a window that fit into a page; undefined when the window is empty. */
export async function newestPage(
  store: Store,
  instanceID: string,
  { after, before }: LineWindow,
  limits: PageLimits,
): Promise<LinePage | undefined> {
  const { rows, more } = await pageBySize<LineSize>(
    (last, count) => store.rows(sizesOf('DESC'), [instanceID, after, last?.line ?? before, count]),
    limits,
  );
  return toPage(rows.toReversed(), more);
}

/** Finds the oldest lines of a window that fit into a page; undefined when the window is empty. */
export async function oldestPage(
  store: Store,
  instanceID: string,
  { after, before }: LineWindow,
  limits: PageLimits,
): Promise<LinePage | undefined> {
  const { rows, more } = await pageBySize<LineSize>(
    (last, count) => store.rows(sizesOf('ASC'), [instanceID, last?.line ?? after, before, count]),
    limits,
  );
  return toPage(rows, more);
}

/** Reads a page of log lines, in chronological order. */
export function readLines(store: Store, instanceID: string, { first, last }: LinePage): Promise<LogRow[]> {
  return store.rows<LogRow>(
    `SELECT line, logged_at, severity, message, step, evidence FROM instance_log
      WHERE instance_id = ? AND line BETWEEN ? AND ? ORDER BY line`,
    [instanceID, first, last],
  );
}

function sizesOf(order: 'ASC' | 'DESC'): string {
  return `SELECT line, ${LINE_BYTES} + LENGTH(message) + LENGTH(step) + COALESCE(LENGTH(evidence), 0) AS bytes
      FROM instance_log WHERE instance_id = ? AND line > ? AND line < ? ORDER BY line ${order} LIMIT ?`;
}

function toPage(rows: LineSize[], more: boolean): LinePage | undefined {
  const [first, last] = [rows.at(0), rows.at(-1)];
  if (!first || !last) return undefined;
  return { first: first.line, last: last.line, bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0), more };
}
