import { beforeAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { sharedApplication } from '../support/application.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { type Application } from '../support/service.js';
import { until } from '../support/until.js';

const FARMERS = ['rp-filter-1', 'rp-filter-2', 'rp-filter-3'] as const;
type Row = Readonly<Record<string, unknown>> & { readonly rupa_id: string | null };

/** The lists with the field that `from` and `to` compare. */
const LISTS = [
  ['lookups', 'queried_at'],
  ['wallet/entries', 'recorded_at'],
  ['contributions', 'recorded_at'],
] as const;

describe('a list of a partner', () => {
  let service: Application;
  let bank: TestPartner;

  beforeAll(async () => {
    service = await sharedApplication();
    bank = await makePartner(service);
    for (const farmer of FARMERS) await admin(service, 'PUT', `/farmers/${farmer}`, { identity: { full_name: 'Aisha Bello' } });
    for (let index = 0; index < 12; index += 1) {
      const farmer = FARMERS[index % 3] ?? '';
      expect((await bank.lookup(farmer, { sections: ['identity'] })).status).toBe(200);
      await bank.call('POST', '/report', { rupa_id: farmer, event: 'loan_disbursed', amount: 5, partner_reference: `loan-${index}` });
    }
  });

  /** Follows the pages of a list. */
  async function all(path: string, query: Readonly<Record<string, string>>): Promise<Row[]> {
    const rows: Row[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { status, body } = await bank.call('GET', `/${path}?${new URLSearchParams({ ...query, cursor }).toString()}`);
      expect(status).toBe(200);
      const { next_cursor, ...data } = body.data as { next_cursor: string | null };
      rows.push(...(Object.values(data)[0] as Row[]));
      cursor = next_cursor;
    }
    return rows;
  }

  it.each(LISTS)('holds the rows of a period and of a farmer, and no others, over any pages: %s', async (path, field) => {
    const settled = async (): Promise<boolean> => (await all('lookups', {})).every(({ outcome }) => outcome === 'settled');
    await until(settled);
    const unfiltered = await all(path, {});
    expect(unfiltered.length).toBeGreaterThanOrEqual(12);
    const timeOf = (row: Row): number => Date.parse(row[field] as string);
    const times = unfiltered.map(timeOf);
    const moment = fc.tuple(fc.constantFrom(...times), fc.integer({ min: -1, max: 1 })).map(([at, more]) => at + more);
    const iso = (at: number): string => new Date(at).toISOString();
    const filters = fc.record(
      { from: moment, to: moment, rupa_id: fc.constantFrom(...FARMERS, 'rp-filter-none'), limit: fc.integer({ min: 1, max: 5 }) },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(filters, async ({ from, to, rupa_id, limit }) => {
        const query = {
          ...(from === undefined ? {} : { from: iso(from) }),
          ...(to === undefined ? {} : { to: iso(to) }),
          ...(rupa_id === undefined ? {} : { rupa_id }),
          ...(limit === undefined ? {} : { limit: String(limit) }),
        };
        const expected = unfiltered.filter(
          (row) => timeOf(row) >= (from ?? 0) && timeOf(row) < (to ?? Infinity) && (rupa_id === undefined || row.rupa_id === rupa_id),
        );
        expect(await all(path, query)).toStrictEqual(expected);
      }),
      { numRuns: 25 },
    );
  });

  it('combines the filters with its own', async () => {
    const [newest] = await all('lookups', {});
    const request_id = String(newest?.request_id);
    const other = FARMERS.find((farmer) => farmer !== newest?.rupa_id) ?? '';
    expect(await all('lookups', { request_id, rupa_id: String(newest?.rupa_id) })).toStrictEqual([newest]);
    for (const query of [{ rupa_id: other }, { to: String(newest?.queried_at) }])
      expect(await all('lookups', { request_id, ...query })).toStrictEqual([]);
    expect(await all('contributions', { partner_reference: 'loan-1', rupa_id: FARMERS[1] })).toHaveLength(1);
    for (const query of [{ rupa_id: FARMERS[0] }, { to: '2026-01-01' }, { from: '2199-01-01' }])
      expect(await all('contributions', { partner_reference: 'loan-1', ...query })).toStrictEqual([]);
  });

  it.each(LISTS.map(([path]) => path))('refuses filters that are none: %s', async (path) => {
    for (const [name, value] of [
      ['from', 'yesterday'],
      ['to', '2026-02-30'],
      ['from', '2026-03-01T10:00:00'],
      ['rupa_id', 'a b'],
    ] as const) {
      const { status, body } = await bank.call('GET', `/${path}?${new URLSearchParams({ [name]: value }).toString()}`);
      expect([status, Object.keys(body.data.errors as object)]).toStrictEqual([422, [name]]);
    }
  });
});
