import { p } from '@mikro-orm/core';

/** Column types of the read models. */
export const column = {
  text: () => p.string().columnType('text'),
  kobo: () => p.bigint('number').columnType('bigint'),
  /** A sum in kobo over all wallets, as decimal text, because it may exceed the exact range of JavaScript's numbers. */
  koboTotal: () => p.string().columnType('numeric(38,0)'),
  integer: () => p.bigint('number').columnType('bigint'),
  /** A position in $all or a revision, as decimal text, because it may exceed the exact range of JavaScript's numbers. */
  position: () => p.string().columnType('numeric(20,0)'),
  time: () => p.string().columnType('timestamptz'),
  boolean: () => p.boolean(),
  json: <T>() => p.json<T>().columnType('jsonb'),
  /** JSON that PostgreSQL stores as the text it received. */
  document: () => p.json<unknown>().columnType('json'),
};
