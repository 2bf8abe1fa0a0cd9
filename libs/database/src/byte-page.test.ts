import { pageBySize } from './byte-page';

/** A list of rows with the given sizes; `counts` collects how many sizes each query reads. */
function createSizeList(sizes: number[]) {
  const rows = sizes.map((bytes, index) => ({ index, bytes }));
  const counts: number[] = [];
  const read = async (last: { index: number } | undefined, count: number) => {
    const found = rows.slice((last?.index ?? -1) + 1).slice(0, count);
    counts.push(found.length);
    return found;
  };
  return { read, counts };
}

test.each<[string, number[], { rows: number; bytes: number }, number, boolean]>([
  ['ends before the row with which its bytes would exceed the limit', [4, 4, 4], { rows: 10, bytes: 8 }, 2, true],
  ['has at least one row, however large', [100, 1], { rows: 10, bytes: 8 }, 1, true],
  ['ends at the limit of rows', [1, 1, 1], { rows: 2, bytes: 8 }, 2, true],
  ['is the last one when every row fits', [1, 1], { rows: 2, bytes: 8 }, 2, false],
  ['of an empty list is empty', [], { rows: 2, bytes: 8 }, 0, false],
])('a page %s', async (_, sizes, limits, count, more) => {
  const page = await pageBySize(createSizeList(sizes).read, limits);
  expect([page.rows.length, page.more]).toEqual([count, more]);
});

test('a page of large rows measures few of them, and a page of small rows needs few queries', async () => {
  const large = createSizeList(Array.from({ length: 1_000 }, () => 1_000));
  await pageBySize(large.read, { rows: 1_000, bytes: 2_000 });
  expect(large.counts).toEqual([8]);
  const small = createSizeList(Array.from({ length: 1_000 }, () => 1));
  expect((await pageBySize(small.read, { rows: 1_000, bytes: 2_000 })).rows).toHaveLength(1_000);
  expect(small.counts).toEqual([8, 32, 128, 512, 320]);
});
