import { type WithResponse } from './last-response.js';

/** A page of a list. Pass its `next_cursor` to get the page after it. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Null on the last page. */
  readonly next_cursor: string | null;
}

/** A list that is read page by page: `for await (const item of list)` reads all of it, requesting each page when it is needed. */
export class PagedList<Item> implements AsyncIterable<Item> {
  readonly #read: (cursor: string | undefined) => Promise<WithResponse<Page<Item>>>;
  readonly #first: string | undefined;

  /** @param read returns the page that begins at the cursor, or the first page */
  constructor(read: (cursor: string | undefined) => Promise<WithResponse<Page<Item>>>, first?: string) {
    this.#read = read;
    this.#first = first;
  }

  /** Reads one page: the one at the `cursor` that the list was made with, or the first. */
  async page(): Promise<WithResponse<Page<Item>>> {
    return await this.#read(this.#first);
  }

  /** Reads page after page. */
  async *pages(): AsyncGenerator<WithResponse<Page<Item>>, void, undefined> {
    for (let cursor = this.#first; ;) {
      const page = await this.#read(cursor);
      yield page;
      if (page.next_cursor === null) return;
      cursor = page.next_cursor;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* page.items;
  }
}
