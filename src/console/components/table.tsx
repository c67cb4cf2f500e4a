import { type ComponentChildren, type VNode } from 'preact';
import { type QueryValues, queryOf } from '../admin-api.js';
import { Empty } from './text.js';

/** A column of a table of rows of type `R`. */
export interface Column<R> {
  readonly head: string;
  readonly cell: (row: R) => ComponentChildren;
  /** Aligns amounts and counts to the right. */
  readonly numeric?: boolean;
  /** Stands in the first line of a card, which a row becomes on a phone. Default: the first column, and the first amount or count. */
  readonly leads?: boolean;
}

interface TableProps<R> {
  /** Says what the table lists, for people who do not see it. */
  readonly label: string;
  readonly columns: readonly Column<R>[];
  readonly rows: readonly R[];
  /** The sentence instead of a table without rows. */
  readonly empty: ComponentChildren;
}

/**
 * A table whose head stays in sight. It scrolls sideways within its own frame where the screen is too narrow; on a phone each row is a card.
 * The roles are those of the elements: a browser forgets them where the style changes how the elements are laid out.
 */
export function Table<R>({ label, columns, rows, empty }: TableProps<R>): VNode {
  if (rows.length === 0) return <Empty>{empty}</Empty>;
  const leading = leadingOf(columns);
  return (
    <div class="table rows" role="region" aria-label={label} tabIndex={0}>
      <table role="table">
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ head, numeric }) => (
              <th scope="col" role="columnheader" class={numeric ? 'numeric' : undefined}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr role="row">
              {columns.map((column) => (
                <td role="cell" class={classOf(column, leading)} data-head={column.head}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Returns the columns in the first line of a card: those that say so, else what the row is of and how much. */
function leadingOf<R>(columns: readonly Column<R>[]): readonly Column<R>[] {
  const marked = columns.filter(({ leads }) => leads);
  if (marked.length > 0) return marked;
  const [first, ...others] = columns;
  return [first, others.find(({ numeric }) => numeric)].flatMap((column) => column ?? []);
}

function classOf<R>(column: Column<R>, leading: readonly Column<R>[]): string | undefined {
  const names = [column.numeric ? 'numeric' : '', leading.includes(column) ? 'leads' : ''].filter((name) => name !== '');
  return names.length === 0 ? undefined : names.join(' ');
}

/** A link to the next page of a list, which keeps the filters. @param path absolute path of the page */
export function NextPage({
  path,
  query,
  cursor,
}: {
  readonly path: string;
  readonly query: QueryValues;
  readonly cursor: string | null;
}): VNode {
  const first = query.cursor ? <a href={`${path}${queryOf({ ...query, cursor: undefined })}`}>First page</a> : null;
  const next = cursor ? (
    <a rel="next" href={`${path}${queryOf({ ...query, cursor })}`}>
      Next page
    </a>
  ) : null;
  return <p class="pages">{[first, next]}</p>;
}

/** Names and values, such as the fields of one thing. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, value: ComponentChildren])[] }): VNode {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
