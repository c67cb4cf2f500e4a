import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Pool } from 'pg';
import { openChargeProjection } from '../../projections/open-charge/open-charge.projection.js';
import { walletEntryProjection } from '../../projections/wallet-entry/wallet-entry.projection.js';
import { GetLookup, GetLookupHandler, GetLookups, GetLookupsHandler } from '../../src/contexts/lookups/listing/get-lookups.query.js';
import { type ReadModels, ReadModelBehind } from '../../src/platform/projecting/read-models.js';
import { createTable } from '../../src/platform/projecting/read-model-table.js';
import { createMigratedDatabase, type TestDatabase, testPool } from '../support/database.js';

/** Read models that show every entry, or that are behind the log. */
const readModels = (areCaughtUp: boolean): ReadModels =>
  ({
    waitForStream: () => (areCaughtUp ? Promise.resolve() : Promise.reject(new ReadModelBehind('wallet_entry'))),
  }) as unknown as ReadModels;
const caughtUp = readModels(true);

describe('the lookups of a partner', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    pool = testPool(database.url, 2);
    const client = await pool.connect();
    for (const projection of [openChargeProjection, walletEntryProjection]) await createTable(client, projection, 'read');
    client.release();
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  async function entry(partner_id: string, revision: number, type: string, lookup_id: string): Promise<void> {
    const isDebit = type === 'WalletDebited';
    await pool.query(
      `insert into read.wallet_entry (partner_id, revision, position, type, recorded_at, amount_kobo, balance_after_kobo, lookup_id, request_id,
         rupa_id, source, breakdown_kobo, price_book_version, hash)
       values ($1, $2::bigint, $2::bigint, $3, '2026-03-09T14:30:00Z', $4, 0, $5, $6, 'rp-1', 'loan', '{"svc_fee.identity":5000,"passthrough.bvn":6050}', 3, '')`,
      [partner_id, revision, type, isDebit ? -11_050 : 11_050, lookup_id, isDebit ? `request-${lookup_id}` : null],
    );
  }
  const list = async (partnerId: string, limit: number, filter: GetLookups['filter'] = {}) =>
    await new GetLookupsHandler(pool, caughtUp).execute(new GetLookups(partnerId, limit, filter));
  const show = async (partnerId: string, lookupId: string, shownBy = caughtUp) =>
    await new GetLookupHandler(pool, shownBy).execute(new GetLookup(partnerId, lookupId));

  it('have the outcome of their charge', async () => {
    for (const [revision, lookup] of ['settled', 'refunded', 'compensated', 'open'].entries())
      await entry('p1', revision, 'WalletDebited', lookup);
    await entry('p1', 4, 'RefundIssued', 'refunded');
    await entry('p1', 5, 'LookupCompensated', 'compensated');
    await pool.query(`insert into read.open_charge (lookup_id, partner_id, debited_at) values ('open', 'p1', now())`);
    const { lookups, next_cursor } = await list('p1', 10);
    expect(lookups.map(({ lookup_id, outcome }) => [lookup_id, outcome])).toStrictEqual([
      ['open', 'open'],
      ['compensated', 'compensated'],
      ['refunded', 'refunded'],
      ['settled', 'settled'],
    ]);
    expect(next_cursor).toBeNull();
    expect(await show('p1', 'refunded')).toStrictEqual({
      lookup_id: 'refunded',
      request_id: 'request-refunded',
      rupa_id: 'rp-1',
      source: 'loan',
      sections: ['identity'],
      amount_charged: 110.5,
      breakdown: { 'svc_fee.identity': 50, 'passthrough.bvn': 60.5 },
      price_book_version: 3,
      queried_at: '2026-03-09T14:30:00.000Z',
      outcome: 'refunded',
    });
  });

  it('are paged newest first, and those made meanwhile neither repeat nor hide others', async () => {
    for (let revision = 0; revision < 5; revision += 1) await entry('p2', revision, 'WalletDebited', `b${revision}`);
    const first = await list('p2', 2);
    await entry('p2', 5, 'WalletDebited', 'b5');
    const second = await list('p2', 2, { cursor: first.next_cursor ?? '' });
    const third = await list('p2', 2, { cursor: second.next_cursor ?? '' });
    expect([first, second, third].map(({ lookups }) => lookups.map(({ lookup_id }) => lookup_id))).toStrictEqual([
      ['b4', 'b3'],
      ['b2', 'b1'],
      ['b0'],
    ]);
    expect(third.next_cursor).toBeNull();
  });

  it('are found by the request id, and only by their own partner', async () => {
    await entry('p3', 0, 'WalletDebited', 'c0');
    await entry('p3', 1, 'WalletDebited', 'c1');
    expect((await list('p3', 10, { requestId: 'request-c0' })).lookups.map(({ lookup_id }) => lookup_id)).toStrictEqual(['c0']);
    expect((await list('p1', 10, { requestId: 'request-c0' })).lookups).toStrictEqual([]);
    await expect(show('p1', 'c0')).rejects.toMatchObject({ code: 'lookup_unknown' });
  });

  it('are not said to be unknown while the read model is behind the log', async () => {
    await entry('p4', 0, 'WalletDebited', 'd0');
    expect((await show('p4', 'd0')).lookup_id).toBe('d0');
    await expect(show('p4', 'd1', readModels(false))).rejects.toBeInstanceOf(ReadModelBehind);
  });
});
