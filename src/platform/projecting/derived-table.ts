import { type ClientBase } from 'pg';
import { storableJson } from '../database/postgres-text.js';
import { columnsOf } from '../database/schema.js';
import { type ChangedGroup, type Derived, type RowChange, type SourceRows } from './derived.js';
import { type Authenticated, type Projection, type Row, type Wipe } from './projection.js';
import { ReadModelTable } from './read-model-table.js';
import { type RowMacs } from './row-macs.js';

/** Groups that are derived from all of their source rows at a time. */
const GROUPS_PER_PAGE = 500;

/** Writes a derived table after each change of its source (derived.ts). */
export class DerivedTable {
  private readonly table: ReadModelTable;
  private readonly source: string;
  private readonly columns: string;

  constructor(
    private readonly projection: Projection,
    private readonly derived: Derived,
    schema: string,
    private readonly macs: RowMacs,
  ) {
    this.table = new ReadModelTable(derived, schema, macs);
    this.source = `${schema}.${projection.name}`;
    this.columns = columnsOf(projection.table)
      .map(({ name }) => `s.${name}`)
      .join(', ');
  }

  /** Returns the keys of the groups to which the row belonged or belongs. */
  groupsOf({ before, after }: RowChange): readonly string[] {
    return [...new Set([before, after].flatMap((row) => (row ? [this.groupOf(row)] : [])))];
  }

  /** Returns the key of the group whose rows a wipe changes. */
  groupOfWipe({ where }: Wipe): string {
    const { [this.derived.groupedBy]: key } = where;
    if (key === undefined) throw new Error(`A wipe of ${this.projection.name} does not say whose rows of ${this.derived.name} it changes.`);
    return key;
  }

  /** Writes the rows that follow from changes of the source, after the source was written. */
  async follow(client: ClientBase, changes: readonly RowChange[]): Promise<void> {
    const byGroup = this.byGroup(changes);
    if (byGroup.size === 0) return;
    const { stored, unknown } = await this.load(client, byGroup);
    const { source, untrusted } = this.reader(client);
    const updated = stored.length === 0 ? new Map<string, Row | null>() : await this.derived.update(stored, source);
    await this.write(client, updated, untrusted, 'upserts');
    await this.rederive(client, unknown);
  }

  async followWipe(client: ClientBase, wipe: Wipe): Promise<void> {
    await this.rederive(client, [this.groupOfWipe(wipe)]);
  }

  /** Derives the rows of these groups from all of their source rows. */
  async rederive(client: ClientBase, keys: readonly string[], write: 'added' | 'upserts' = 'upserts'): Promise<void> {
    if (keys.length === 0) return;
    const { source, untrusted } = this.reader(client);
    const rows = await source.matching(keys.map((key) => ({ [this.derived.groupedBy]: key })));
    const groups = new Map<string, Row[]>();
    for (const row of rows) {
      const ofGroup = groups.get(this.groupOf(row));
      if (ofGroup) ofGroup.push(row);
      else groups.set(this.groupOf(row), [row]);
    }
    const derived = keys.map((key) => {
      const ofGroup = groups.get(key);
      return [key, ofGroup ? this.derived.derive(ofGroup) : null] as const;
    });
    await this.write(client, new Map(derived), untrusted, write);
  }

  /** Returns the keys of the next groups of the source, in the order of their keys; none after the last. */
  async groupsAfter(client: ClientBase, after: string | undefined): Promise<readonly string[]> {
    const { groupedBy } = this.derived;
    const { rows } = await client.query<{ key: string }>(
      `select ${groupedBy} as key from ${this.source} where $1::text is null or ${groupedBy} > $1 group by 1 order by 1 limit ${GROUPS_PER_PAGE}`,
      [after],
    );
    return rows.map(({ key }) => key);
  }

  private groupOf(row: Row): string {
    return (row as Readonly<Record<string, string>>)[this.derived.groupedBy] ?? '';
  }

  private byGroup(changes: readonly RowChange[]): ReadonlyMap<string, readonly RowChange[]> {
    const byGroup = new Map<string, RowChange[]>();
    for (const change of changes) {
      for (const key of this.groupsOf(change)) {
        const isOf = (row: Row | null): Row | null => (row && this.groupOf(row) === key ? row : null);
        const own = { before: isOf(change.before), after: isOf(change.after) };
        const others = byGroup.get(key);
        if (others) others.push(own);
        else byGroup.set(key, [own]);
      }
    }
    return byGroup;
  }

  /**
   * Returns the groups with a row that can be trusted, and the keys of the others. Those are new, or somebody edited or deleted their rows or
   * a row of the source, and are derived from scratch.
   */
  private async load(
    client: ClientBase,
    byGroup: ReadonlyMap<string, readonly RowChange[]>,
  ): Promise<{ stored: readonly ChangedGroup<Row, Row>[]; unknown: readonly string[] }> {
    const keys = [...byGroup.keys()].map((key) => ({ [this.derived.groupedBy]: key }));
    const rows = await this.table.load(client, keys);
    const stored: ChangedGroup<Row, Row>[] = [];
    const unknown: string[] = [];
    for (const [key, changes] of byGroup) {
      const row = rows.get(key);
      const isTrusted =
        row && ![row, ...changes.flatMap(({ before, after }) => [before ?? {}, after ?? {}])].some((each) => this.macs.isVoid(each));
      if (isTrusted) stored.push({ key, row, changes });
      else unknown.push(key);
    }
    return { stored, unknown };
  }

  /** Returns a reader of the source, and the keys of the groups of which it has read a row that the projector did not write. */
  private reader(client: ClientBase): { source: SourceRows<Row>; untrusted: ReadonlySet<string> } {
    const untrusted = new Set<string>();
    const { authenticated, table } = this.projection;
    const read = async (from: string, wanted: readonly Row[]): Promise<readonly Row[]> => {
      if (wanted.length === 0) return [];
      const { rows } = await client.query<Row>(`select ${this.columns} from ${from}`, [storableJson(wanted)]);
      if (!authenticated) return rows;
      const loaded = rows.map((row) => this.macs.loaded(table, row));
      for (const row of loaded) if (this.macs.isVoid(row)) untrusted.add(this.groupOf(row));
      return loaded;
    };
    const source: SourceRows<Row> = {
      matching: (wanted) => read(`${keysOf(wanted)} join ${this.source} s on ${matches(wanted, 's')}`, wanted),
      last: (wanted, by: readonly string[], most) => {
        const order = by.map((column) => `c.${column} desc`).join(', ');
        const list = `select * from ${this.source} c where ${matches(wanted, 'c')} order by ${order} limit ${most}`;
        return read(`${keysOf(wanted)} cross join lateral (${list}) s`, wanted);
      },
    };
    return { source, untrusted };
  }

  /** A derived row has no stream of its own, and therefore no revision of one. */
  private authenticable(row: Row, isUntrusted: boolean): Row {
    if (!this.derived.authenticated) return row;
    const { mac: _mac, ...content } = { ...(row as Authenticated), event_revision: '0' };
    return isUntrusted ? this.macs.voided(content) : content;
  }

  private async write(
    client: ClientBase,
    rows: ReadonlyMap<string, Row | null>,
    untrusted: ReadonlySet<string>,
    as: 'added' | 'upserts',
  ): Promise<void> {
    const written = [...rows].flatMap(([key, row]) => (row ? [this.authenticable(row, untrusted.has(key))] : []));
    const deletions = [...rows].flatMap(([key, row]) => (row ? [] : [{ [this.derived.groupedBy]: key }]));
    await this.table.write(client, { added: [], upserts: [], deletions, [as]: written });
  }
}

/** SQL of the wanted values, which are the statement's first parameter. */
function keysOf([first = {}]: readonly Row[]): string {
  const columns = Object.keys(first).map((column) => `${column} text`);
  return `json_to_recordset($1) as k(${columns.join(', ')})`;
}

function matches([first = {}]: readonly Row[], alias: string): string {
  return Object.keys(first)
    .map((column) => `${alias}.${column} = k.${column}`)
    .join(' and ');
}
