import { describe, expect, it } from '@jest/globals';
import { type Snapshot } from '../../../platform/database/held-rows.js';
import { ClosedDays } from './closed-days.js';

const NOW = Date.parse('2026-03-10T08:00:00.000Z');
const MINUTE_MS = 60_000;

/** Stands in for the database: a table with one account, and a list of the days that were read. */
class Table implements Snapshot {
  readonly reads: string[] = [];
  oid = '1';
  readonly days: [day: string, debit: string][] = [
    ['2026-03-01', '100'],
    ['2026-03-08', '20'],
    ['2026-03-09', '3'],
    ['2026-03-10', '4'],
  ];

  rows<R extends object>(_text: string, values: readonly unknown[]): Promise<R[]> {
    if (values.length === 0) return Promise.resolve([{ oid: this.oid }] as unknown as R[]);
    const [, after = '', through = ''] = values as readonly string[];
    this.reads.push(`${after} to ${through}`);
    const found = this.days.filter(([day]) => day > after && day <= through);
    return Promise.resolve(found.map(([day, debit_kobo]) => ({ day, account: 'a', debit_kobo, credit_kobo: '0' })) as unknown as R[]);
  }

  list(): never {
    throw new Error('Only few rows are read.');
  }
}

describe('the closed days', () => {
  const [table, closed] = [new Table(), new ClosedDays()];
  const debitThrough = async (day: string, nowMs = NOW): Promise<unknown> =>
    (await closed.through(table, 'live', day, nowMs))[0]?.debit_kobo;

  it('are added to the days that are still open', async () => {
    expect(await debitThrough('2026-03-10')).toBe(127n);
    expect(table.reads).toStrictEqual(['0001-01-01 to 2026-03-08', '2026-03-08 to 2026-03-10']);
  });

  it('are not read again for an earlier day', async () => {
    table.reads.length = 0;
    expect([await debitThrough('2026-03-07'), await debitThrough('2026-02-28'), await debitThrough('2026-03-09')]).toStrictEqual([
      100n,
      undefined,
      123n,
    ]);
    expect(table.reads).toStrictEqual(['2026-03-08 to 2026-03-09']);
  });

  it('are read again from a table that was rebuilt, after some minutes, and on the next day', async () => {
    table.oid = '2';
    table.reads.length = 0;
    expect([await debitThrough('2026-03-08'), await debitThrough('2026-03-08')]).toStrictEqual([120n, 120n]);
    expect(table.reads).toStrictEqual(['0001-01-01 to 2026-03-08']);
    table.days.push(['2026-03-02', '1']);
    expect([await debitThrough('2026-03-08'), await debitThrough('2026-03-08', NOW + 11 * MINUTE_MS)]).toStrictEqual([120n, 121n]);
    expect(await debitThrough('2026-03-09', NOW + 24 * 60 * MINUTE_MS)).toBe(124n);
  });
});
