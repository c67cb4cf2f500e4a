import { type ReadTable } from './read-table.js';

/** A change of a row of the source; null where there is no row. */
export interface RowChange<S extends object = object> {
  readonly before: S | null;
  readonly after: S | null;
}

/** A derived row with the changes of its source rows, which the source shows already. */
export interface ChangedGroup<S extends object, R extends object> {
  readonly key: string;
  /** The row before the changes. */
  readonly row: R;
  /** A source row that came from another group has no `before`, and one that went to another group no `after`. */
  readonly changes: readonly RowChange<S>[];
}

/** Reads rows of the source in the transaction that wrote them. The rows of `wanted` all name the same columns, and texts only. */
export interface SourceRows<S extends object> {
  /** Returns the rows that have the values of one of `wanted`. An index should begin with some of the columns. */
  matching(this: void, wanted: readonly Partial<S>[]): Promise<readonly S[]>;
  /** Returns for each of `wanted` the rows that have its values, `most` at most: the last ones in the order of the columns `by`. */
  last(this: void, wanted: readonly Partial<S>[], by: readonly (keyof S & string)[], most: number): Promise<readonly S[]>;
}

/**
 * A table whose rows follow from the rows of a projection's table, the source: all source rows with the same text in one column make one
 * row. The projector keeps it in the transaction that changes the source, under the source's checkpoint and version.
 */
export interface Derivation<S extends object = object, R extends object = object> extends Omit<ReadTable, 'version' | 'authenticated'> {
  /** The column of the source that groups its rows, and the primary key of this table. An index of the source has to begin with it. */
  readonly groupedBy: string;
  /** Returns the row of a group from all of its source rows, in any order. There is at least one. */
  derive(this: void, rows: readonly S[]): R;
  /**
   * Returns the rows after the changes, by their keys, without reading all source rows of a group. They equal what `derive` returns; null
   * means that the group has no source row any more.
   */
  update(this: void, groups: readonly ChangedGroup<S, R>[], source: SourceRows<S>): Promise<ReadonlyMap<string, R | null>>;
}

/** A derivation as its projection holds it. */
export type Derived = Derivation & ReadTable;

/** Returns the derivation without the types of its rows, for the projection of its source. */
export function derivation<S extends object, R extends object>(definition: Derivation<S, R>): Derivation {
  return definition as object as Derivation;
}
