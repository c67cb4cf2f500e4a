import { type Column, Table } from '../../components/table.js';
import { Badge } from '../../components/text.js';
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

export function searchScreen(text: string, hits: readonly Hit[]): Screen {
  return {
    title: text === '' ? 'Search' : `Search: ${text}`,
    area: null,
    body: <Table label="Found" columns={COLUMNS} rows={hits} empty={NOTHING} />,
  };
}
