import { readAllPages } from './pages';

test.each([
  [[], 1],
  [['a'], 1],
  [['a', 'b'], 2],
  [['a', 'b', 'c', 'd', 'e'], 3],
])('all pages of %j are read, each after the last item of the page before', async (items, expectedReads) => {
  const cursors: (string | undefined)[] = [];
  const read = async (before: string | undefined) => {
    cursors.push(before);
    const start = before === undefined ? 0 : items.indexOf(before) + 1;
    return items.slice(start, start + 2);
  };
  expect(await readAllPages(read, (item) => item, 2)).toEqual(items);
  expect(cursors).toHaveLength(expectedReads);
});
