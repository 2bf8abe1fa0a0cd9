/** Items that one call of a list may answer. */
const PAGE_ITEMS = 500;

interface PageQuery {
  limit: number;
  before?: string;
}

/** All items of a list that answers the newest first and has `before`; with `max` not more than that. */
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
