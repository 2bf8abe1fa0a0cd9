/**
 * Number of rows whose sizes the first query reads. It is small, because measuring may be expensive: when no index has the size, the server
 * reads the whole row.
 */
const FIRST_CHUNK_ROWS = 8;
/** Each further query reads this many times as many sizes, so that a page of small rows needs few queries. */
const CHUNK_GROWTH = 4;

export interface PageLimits {
  rows: number;
  bytes: number;
}

/**
 * The rows of one page, found by their sizes before any large column is read: as many as `limits` allow, at least one. `more` =
 * rows follow after the last one. `readSizes` reads at most `count` sizes that follow `last` in the order of the list.
 */
export async function pageBySize<Size extends { bytes: number }>(
  readSizes: (last: Size | undefined, count: number) => Promise<Size[]>,
  limits: PageLimits,
): Promise<{ rows: Size[]; more: boolean }> {
  const rows: Size[] = [];
  let bytes = 0;
  for (let chunk = FIRST_CHUNK_ROWS; ; chunk *= CHUNK_GROWTH) {
    const count = Math.min(chunk, limits.rows + 1 - rows.length);
    const sizes = await readSizes(rows.at(-1), count);
    for (const size of sizes) {
      bytes += size.bytes;
      if (rows.length === limits.rows || (rows.length > 0 && bytes > limits.bytes)) return { rows, more: true };
      rows.push(size);
    }
    if (sizes.length < count) return { rows, more: false };
  }
}
