import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { MaxLength } from './validation.js';
import { ValidationFailed } from '../../kernel/validation-failed.js';
import { Input, WholeNumber } from './dto.js';

/** Items of a page, unless the list says otherwise (decisions, "Paging"). */
export const PER_PAGE = 50;
export const MAX_PER_PAGE = 200;
const CURSOR_LENGTH_MAX = 512;
/** Without an example: a cursor is that of one list, and no other list takes it. */
const CURSOR_SCHEMA = { description: '`next_cursor` of the previous page.' };
export const CURSOR_EXAMPLE = 'WyJ3YWxsZXQtZW50cmllcyIsMTdd';
export const NEXT_CURSOR = { description: '`cursor` of the next page; null on the last page.', nullable: true };

/** Declares how many items of a page a call may ask for. @param documented its default, if it has one, and what else OpenAPI says */
export function Limit(most: number, documented: { readonly default?: number; readonly description?: string }): PropertyDecorator {
  const example = documented.default ?? PER_PAGE;
  // In the order in which decorators apply that stand above each other: the last rule comes first.
  return applyDecorators(ApiProperty({ ...documented, example }), Max(most), Min(1), IsInt(), WholeNumber(), IsOptional());
}

/** Declares the place in a list from which a page goes on. */
export function Cursor(): PropertyDecorator {
  return applyDecorators(ApiProperty(CURSOR_SCHEMA), MaxLength(CURSOR_LENGTH_MAX), IsString(), IsOptional());
}

/** The query of a list that grows (decisions, "Paging"). Lists with further filters extend it. */
export class PageQueryDto extends Input {
  @Limit(MAX_PER_PAGE, { default: PER_PAGE }) limit?: number;

  @Cursor() cursor?: string;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
}

/**
 * Kinds of values in a list's sort key. Each is one that PostgreSQL can compare: `position` is one in $all as decimal text, `time` is
 * ISO 8601 in UTC, `text` is printable ASCII.
 */
const KINDS = {
  position: (value: unknown): boolean => typeof value === 'string' && /^\d{1,20}$/.test(value),
  integer: (value: unknown): boolean => Number.isSafeInteger(value),
  text: (value: unknown): boolean => typeof value === 'string' && /^[\x20-\x7e]{0,255}$/.test(value),
  time: (value: unknown): boolean =>
    typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?Z$/.test(value) && !Number.isNaN(Date.parse(value)),
};
type Kind = keyof typeof KINDS;
type PositionOf<Kinds extends readonly Kind[]> = { readonly [At in keyof Kinds]: Kinds[At] extends 'integer' ? number : string };

/**
 * The cursors of one list. A cursor holds the sort key of the last item of a page, and the next page has the items after that key. Items
 * that are added meanwhile therefore neither repeat nor hide others, as long as the sort key of an item never changes and is unique.
 */
export class Cursors<const Kinds extends readonly Kind[]> {
  private readonly kinds: Kinds;

  /** @param list a name that differs from all other lists, whose cursors are refused */
  constructor(
    private readonly list: string,
    ...kinds: Kinds
  ) {
    this.kinds = kinds;
  }

  at(position: PositionOf<Kinds>): string {
    return Buffer.from(JSON.stringify([this.list, ...position])).toString('base64url');
  }

  /** Returns the sort key after which the page begins; undefined for the first page. @throws ValidationFailed if this list made no such cursor */
  position(cursor: string | null | undefined): PositionOf<Kinds> | undefined {
    if (cursor === undefined || cursor === null) return undefined;
    const [list, ...position] = parsed(cursor);
    const isValid =
      list === this.list && position.length === this.kinds.length && this.kinds.every((kind, at) => KINDS[kind](position[at]));
    // The text must be the one that this list makes: Buffer ignores characters outside base64url, and JSON.parse ignores spaces.
    if (!isValid || this.at(position as unknown as PositionOf<Kinds>) !== cursor)
      throw new ValidationFailed({ cursor: ['The cursor field must be the next_cursor of an earlier response.'] });
    return position as unknown as PositionOf<Kinds>;
  }

  /** Returns a page. @param rows as many as `limit`, and one more if there are more */
  page<Item>(rows: readonly Item[], limit: number, positionOf: (item: Item) => PositionOf<Kinds>): Page<Item> {
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    return { items, next_cursor: rows.length > limit && last !== undefined ? this.at(positionOf(last)) : null };
  }
}

/** Rows that {@link search} reads at a time, and how often. */
const SEARCHED_AT_ONCE = 500;
const SEARCHES = 4;

/** The rows that a filter without an index leaves, and where a search for more goes on; undefined if there are no more. */
export interface Searched<Row, Position> {
  readonly rows: readonly Row[];
  readonly searchedTo: Position | undefined;
}

/**
 * Looks for the next rows of a list that a filter selects, in the 2,000 after a position, so that a rare kind of row does not make the call
 * read a whole table. @param read returns at most so many rows after a position
 */
export async function search<Row, Position>(
  read: (after: Position | undefined, count: number) => Promise<readonly Row[]>,
  isWanted: (row: Row) => boolean,
  positionOf: (row: Row) => Position,
  begin: Position | undefined,
  count: number,
): Promise<Searched<Row, Position>> {
  const rows: Row[] = [];
  let after = begin;
  for (let reads = 0; reads < SEARCHES; reads += 1) {
    const found = await read(after, SEARCHED_AT_ONCE);
    rows.push(...found.filter(isWanted));
    const last = found.at(-1);
    if (rows.length >= count) return { rows: rows.slice(0, count), searchedTo: undefined };
    if (last === undefined || found.length < SEARCHED_AT_ONCE) return { rows, searchedTo: undefined };
    after = positionOf(last);
  }
  return { rows, searchedTo: after };
}

function parsed(cursor: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

const isDate = (text: string): boolean => text.length === 'yyyy-mm-dd'.length;

/** Returns the beginning (UTC) of a date, and a timestamp as it is. @param text ISO 8601 */
export function startOfDay(text: string | undefined): string | undefined {
  return text !== undefined && isDate(text) ? `${text}T00:00:00.000Z` : text;
}

/** Returns the last millisecond (UTC) of a date, and a timestamp as it is. @param text ISO 8601 */
export function endOfDay(text: string | undefined): string | undefined {
  return text !== undefined && isDate(text) ? `${text}T23:59:59.999Z` : text;
}
