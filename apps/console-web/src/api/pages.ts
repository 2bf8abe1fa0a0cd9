import type { InfiniteData } from '@tanstack/react-query';

export const PAGE_SIZE = 100;

/** `getNextPageParam` of a list whose `before` is the id of the last item read. */
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
