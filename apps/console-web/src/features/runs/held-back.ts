/** The rows to show, and the number of newer rows (`waiting`) that are held back above them. */
export interface HeldBack<Row> {
  shown: Row[];
  waiting: number;
}

/**
 * Rows that arrived above `top`, the key of the first row on the page, are held back until the user asks for them, because otherwise the rows
 * that the user reads would move. The row `top` and those below it are shown as they are now. Without that row in the list all are shown.
 */
export function holdBack<Row>(rows: Row[], keyOf: (row: Row) => string, top: string | undefined): HeldBack<Row> {
  const waiting = top === undefined ? 0 : rows.findIndex((row) => keyOf(row) === top);
  return waiting > 0 ? { shown: rows.slice(waiting), waiting } : { shown: rows, waiting: 0 };
}
