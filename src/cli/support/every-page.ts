import { MAX_PER_PAGE, type Page } from '../../http/validating/paging.js';

/** Reads all pages of a list. */
export async function everyPage<Item>(read: (limit: number, cursor: string | undefined) => Promise<Page<Item>>): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(MAX_PER_PAGE, cursor);
    items.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return items;
}
