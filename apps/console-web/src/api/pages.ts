import type { InfiniteData } from '@tanstack/react-query';

/** Number of items that a list reads at once; the API allows up to 500. */
export const PAGE_SIZE = 100;

/**
 * Makes the `getNextPageParam` of a list whose `before` is the id of the last item read. A page that is not full is the last one; a full page
 * may be followed by an empty one.
 */
export function nextBefore<Item>(idOf: (item: Item) => string, pageSize = PAGE_SIZE) {
  return (page: Item[]): string | undefined => {
    const last = page.at(-1);
    return last !== undefined && page.length >= pageSize ? idOf(last) : undefined;
  };
}

/** The items of all pages that are read so far. */
export function itemsOf<Item>(data: InfiniteData<Item[]> | undefined): Item[] {
  return data?.pages.flat() ?? [];
}

/**
 * All items of a list, for a field in which the user chooses an item. `read` returns at most `pageSize` items after the
 * item `before`.
 */
export async function readAllPages<Item>(
  read: (before: string | undefined) => Promise<Item[]>,
  idOf: (item: Item) => string,
  pageSize: number,
): Promise<Item[]> {
  const items: Item[] = [];
  const next = nextBefore(idOf, pageSize);
  for (let before: string | undefined; ;) {
    const page = await read(before);
    items.push(...page);
    before = next(page);
    if (before === undefined) return items;
  }
}
