import { type ComponentChildren, type VNode } from 'preact';
import { type QueryValues, queryOf } from '../admin-api.js';
import { Empty } from './text.js';

/** A column of a table of rows of type `R`. */
export interface Column<R> {
  readonly head: string;
  readonly cell: (row: R) => ComponentChildren;
  /** Aligns amounts and counts to the right. */
  readonly numeric?: boolean;
}

interface TableProps<R> {
  /** Says what the table lists, for people who do not see it. */
  readonly label: string;
  readonly columns: readonly Column<R>[];
  readonly rows: readonly R[];
  /** The sentence instead of a table without rows. */
  readonly empty: ComponentChildren;
}

/** A table whose head stays in sight. It scrolls sideways within its own frame where the screen is too narrow. */
export function Table<R>({ label, columns, rows, empty }: TableProps<R>): VNode {
  if (rows.length === 0) return <Empty>{empty}</Empty>;
  return (
    <div class="table" role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ head, numeric }) => (
              <th scope="col" class={numeric ? 'numeric' : undefined}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {columns.map(({ cell, numeric }) => (
                <td class={numeric ? 'numeric' : undefined}>{cell(row)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
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
