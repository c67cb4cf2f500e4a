import { p } from '@mikro-orm/core';

/** Column types that the read models share. */
export const column = {
  text: () => p.string().columnType('text'),
  kobo: () => p.bigint('number').columnType('bigint'),
  /** A sum over all wallets, which JavaScript's numbers may not hold exactly. */
  koboTotal: () => p.string().columnType('numeric(38,0)'),
  integer: () => p.bigint('number').columnType('bigint'),
  /** A place in $all or a revision, which JavaScript's numbers may not hold exactly. */
  position: () => p.string().columnType('numeric(20,0)'),
  time: () => p.string().columnType('timestamptz'),
  boolean: () => p.boolean(),
  json: <T>() => p.json<T>().columnType('jsonb'),
  /** Kept as the text it came as: handed on without being parsed. */
  document: () => p.json<unknown>().columnType('json'),
};
