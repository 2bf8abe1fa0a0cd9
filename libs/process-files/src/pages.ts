/** Maximum items that one call of a list returns. */
const PAGE_ITEMS = 500;

interface PageQuery {
  limit: number;
  before?: string;
}

/** Reads all items of a list that is paged by `before`, newest first. */
export async function allPages<Item>(
  read: (query: PageQuery) => Promise<Item[]>,
  idOf: (item: Item) => string,
): Promise<Item[]> {
  const items: Item[] = [];
  for (;;) {
    const last = items.at(-1);
    const page = await read({ limit: PAGE_ITEMS, ...(last !== undefined && { before: idOf(last) }) });
    items.push(...page);
    if (page.length < PAGE_ITEMS) return items;
  }
}
