import { type InferEntity, p } from '@mikro-orm/core';

/** Column types of the read models. */
export const column = {
  text: <T extends string = string>() => p.string().columnType('text').$type<T>(),
  uuid: () => p.string().columnType('uuid'),
  kobo: () => p.bigint('number').columnType('bigint'),
  /** A sum in kobo over all wallets, as decimal text, because it may exceed the exact range of JavaScript's numbers. */
  koboTotal: () => p.string().columnType('numeric(38,0)'),
  integer: () => p.bigint('number').columnType('bigint'),
  /** Percent with at most two decimals. */
  percent: () => p.double().columnType('double precision').$type<number>(),
  /** A position in $all or a revision, as decimal text, because it may exceed the exact range of JavaScript's numbers. */
  position: () => p.string().columnType('numeric(20,0)'),
  time: () => p.string().columnType('timestamptz'),
  boolean: () => p.boolean(),
  json: <T>() => p.json<T>().columnType('jsonb'),
  /** JSON that PostgreSQL stores as the text it received. */
  document: <T>() => p.json<T>().columnType('json'),
};

/** Columns of a table whose rows decide: the projector writes them, and readers check them (src/platform/projecting/row-macs.ts). */
export const authenticatedColumns = { event_revision: column.position().default('0'), mac: column.text().default('') };

/** A row of a read model, as its projection makes it and its reader gets it. The table that `defineEntity` returned is its only definition. */
export type RowOf<Table> = { readonly [Column in keyof InferEntity<Table> & string]: Exclude<InferEntity<Table>[Column], undefined> };

/** Returns an index on expressions, which `definition` has in parentheses, with a condition after them if it is partial. */
export function expressionIndex(name: string, definition: string) {
  const expression = (_columns: unknown, table: { readonly schema?: string | undefined; readonly name: string }): string =>
    `create index on "${table.schema ?? 'public'}"."${table.name}" ${definition}`;
  return { name, expression };
}
