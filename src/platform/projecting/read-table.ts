import { type EntitySchema } from '@mikro-orm/core';

/** A table that the projector writes: a projection's own, or one that is derived from it (derived.ts). */
export interface ReadTable {
  readonly name: string;
  /** Increase it with every change of the table or the functions: tables of an older version are then rebuilt. */
  readonly version: number;
  readonly table: EntitySchema;
  /**
   * Percent of a page that new rows fill; by default all of it. Set it for rows that are rewritten often: a new version that has room on its
   * page leaves the indexes alone, and the next access to the page frees the old one.
   */
  readonly fillFactor?: number;
  /** Set for a table that holds personal data, or held it before an erasure: an erasure waits for it and overwrites what is left of it. */
  readonly personal?: true;
  /** Whether each row has a MAC, because calls decide by it. Its table has the columns `authenticatedColumns`. */
  readonly authenticated: boolean;
  /** Set for a table without MACs that calls decide by, or show as figures. Like those with MACs, it is compared with the log every hour. */
  readonly comparedHourly?: true;
}

/** A table whose rows can be checked: that of a read model, or an operational one, whose rows have MACs. */
export type CheckedTable = Pick<ReadTable, 'name' | 'table' | 'authenticated'>;
