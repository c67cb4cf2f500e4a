import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { connectionConfig } from './pool.js';

describe('a time of a row', () => {
  const read = connectionConfig('postgres://user@127.0.0.1/name').types?.getTypeParser(pg.types.builtins.TIMESTAMPTZ) as (
    text: string,
  ) => string;

  it('is read as ISO 8601 with milliseconds, whatever its decimals', () => {
    const time = fc.date({ min: new Date('1000-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true });
    fc.assert(
      fc.property(time, fc.stringMatching(/^(\.\d{1,6})?$/), (date, decimals) => {
        const seconds = date.toISOString().slice(0, '2026-11-29T00:00:00'.length);
        const text = `${seconds.replace('T', ' ')}${decimals}+00`;
        expect(read(text)).toBe(`${seconds}.${decimals.slice(1, 4).padEnd(3, '0')}Z`);
        expect(read(text)).toBe(new Date(text).toISOString());
      }),
    );
  });

  it('is read with another offset, too, and refused if it has no end', () => {
    expect(read('2026-11-29 15:30:00.5+01')).toBe('2026-11-29T14:30:00.500Z');
    expect(() => read('infinity')).toThrow(RangeError);
  });
});
