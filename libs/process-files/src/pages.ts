/** Maximum items that one call of a list returns. */
const PAGE_ITEMS = 500;

interface PageQuery {
  limit: number;
  before?: string;
}

/** Reads all items of a list that is paged by `before`, newest first; at most `max` of them. */
export async function allPages<Item>(
  read: (query: PageQuery) => Promise<Item[]>,
  idOf: (item: Item) => string,
  max = Infinity,
): Promise<Item[]> {
  const items: Item[] = [];
  for (;;) {
    const limit = Math.min(PAGE_ITEMS, max - items.length);
    const last = items.at(-1);
    const page = await read({ limit, ...(last !== undefined && { before: idOf(last) }) });
    items.push(...page);
    if (page.length < limit || items.length >= max) return items;
  }
}
