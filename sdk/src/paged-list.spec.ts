import { describe, expect, it } from '@jest/globals';
import { withResponse } from './last-response.js';
import { PagedList } from './paged-list.js';

const PAGES = new Map<string | undefined, { items: number[]; next_cursor: string | null }>([
  [undefined, { items: [1, 2], next_cursor: 'b' }],
  ['b', { items: [], next_cursor: 'c' }],
  ['c', { items: [3], next_cursor: null }],
]);

const RESPONSE = { status: 200, requestId: null, isReplayed: false, rateLimit: null };

function list(first?: string) {
  const read: (string | undefined)[] = [];
  const paged = new PagedList((cursor) => {
    read.push(cursor);
    const page = PAGES.get(cursor);
    return page ? Promise.resolve(withResponse({ ...page }, RESPONSE)) : Promise.reject(new Error(`no page ${cursor ?? ''}`));
  }, first);
  return { paged, read };
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe('a paged list', () => {
  it('yields the items of every page, also after an empty one', async () => {
    const { paged, read } = list();
    expect(await all(paged)).toStrictEqual([1, 2, 3]);
    expect(read).toStrictEqual([undefined, 'b', 'c']);
    expect(await all(paged)).toStrictEqual([1, 2, 3]);
  });

  it('requests a page only when an item of it is needed', async () => {
    const { paged, read } = list();
    for await (const item of paged) if (item === 2) break;
    expect(read).toStrictEqual([undefined]);
  });

  it('begins at a cursor, and yields pages or a single one', async () => {
    expect(await all(list('b').paged.pages())).toStrictEqual([PAGES.get('b'), PAGES.get('c')]);
    const { paged, read } = list('c');
    expect(await paged.page()).toStrictEqual(PAGES.get('c'));
    expect(read).toStrictEqual(['c']);
  });

  it('fails with the error of a page', async () => {
    await expect(all(list('x').paged)).rejects.toThrow('no page x');
  });
});
