import { type Column, Table } from '../../components/table.js';
import { queryOf } from '../../admin-api.js';
import { Badge, Notice } from '../../components/text.js';
import { type Screen } from '../../screen.js';

/** Something that the search found. */
export interface Hit {
  readonly kind: 'Partner' | 'Lookup' | 'Farmer';
  readonly name: string;
  /** Absolute path of its screen. */
  readonly path: string;
}

const COLUMNS: readonly Column<Hit>[] = [
  { head: 'Kind', cell: ({ kind }) => <Badge tone="plain">{kind}</Badge> },
  { head: 'Found', cell: ({ name, path }) => <a href={path}>{name}</a> },
];

const NOTHING =
  'Nothing was found. Search for a partner’s id or a part of its name, a farmer’s Rupa id, the id of a lookup, or the X-Request-Id of a lookup’s response.';

/** What the search found. */
export interface Found {
  readonly hits: readonly Hit[];
  /** Whether more have the text in their name, or belong to the request. */
  readonly hasMore: boolean;
}

export function searchScreen(text: string, { hits, hasMore }: Found): Screen {
  return {
    title: text === '' ? 'Search' : `Search: ${text}`,
    area: null,
    body: (
      <>
        {hasMore ? (
          <Notice tone="warn">
            These are the first {hits.length} of more than {hits.length}. Narrow it: search for a longer part of the name
            {text === '' ? null : (
              <>
                , or see <a href={`/console/partners${queryOf({ search: text })}`}>all partners with it</a>
              </>
            )}
            .
          </Notice>
        ) : null}
        <Table label="Found" columns={COLUMNS} rows={hits} empty={NOTHING} />
      </>
    ),
  };
}
