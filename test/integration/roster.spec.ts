import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Pool } from 'pg';
import { consentRosterProjection } from '../../projections/consent-roster/consent-roster.projection.js';
import { erasedFarmerProjection } from '../../projections/erased-farmer/erased-farmer.projection.js';
import { walletEntryProjection } from '../../projections/wallet-entry/wallet-entry.projection.js';
import { GetRoster, GetRosterHandler } from '../../src/contexts/consents/get-roster.query.js';
import { type RosterEntry } from '../../src/contexts/consents/consents.dto.js';
import { type Page } from '../../src/http/validating/paging.js';
import { type ReadModels } from '../../src/platform/projecting/read-models.js';
import { createTable } from '../../src/platform/projecting/read-model-table.js';
import { createMigratedDatabase, type TestDatabase, testPool } from '../support/database.js';

const RUNS = 20;
const alreadyShown = { waitForStream: () => Promise.resolve() } as unknown as ReadModels;
const farmers = (from: number, to: number): string[] => Array.from({ length: to - from + 1 }, (_, index) => `rp-${from + index}`);

describe('a roster of more than 200 (4.4)', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    pool = testPool(database.url, 2);
    const client = await pool.connect();
    for (const projection of [consentRosterProjection, erasedFarmerProjection, walletEntryProjection])
      await createTable(client, projection, 'read');
    client.release();
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  /** Records a lookup of each of these farmers, a second apart. */
  async function lookUp(partnerId: string, rupaIds: readonly string[]): Promise<void> {
    await pool.query(
      `with looked_up as (select id, n, timestamptz '2026-01-01' + n * interval '1 second' as at from unnest($2::text[]) with ordinality as u(id, n)),
         entries as (insert into read.wallet_entry (partner_id, revision, position, type, recorded_at, amount_kobo, balance_after_kobo, rupa_id, hash) select $1, n, n, 'WalletDebited', at, -1, 0, id, '' from looked_up)
       insert into read.consent_roster (partner_id, rupa_id, source, granted_at, last_accessed_at, access_count, last_revision, granted_revision, granted_position)
       select $1, id, 'loan', min(at), max(at), count(*), max(n), min(n), 0 from looked_up group by id`,
      [partnerId, rupaIds],
    );
  }

  async function lookUpOnceMore(partnerId: string, rupaId: string, revision: number): Promise<void> {
    await pool.query(
      `with entry as (insert into read.wallet_entry (partner_id, revision, position, type, recorded_at, amount_kobo, balance_after_kobo, rupa_id, hash)
         values ($1, $3::bigint, $3::bigint, 'WalletDebited', timestamptz '2026-02-01' + $3::bigint * interval '1 second', -1, 0, $2, ''))
       update read.consent_roster set last_revision = $3::bigint, last_accessed_at = timestamptz '2026-02-01' + $3::bigint * interval '1 second', access_count = access_count + 1
       where partner_id = $1 and rupa_id = $2`,
      [partnerId, rupaId, revision],
    );
  }

  async function page(partnerId: string, limit: number, cursor?: string): Promise<Page<RosterEntry>> {
    return await new GetRosterHandler(pool, alreadyShown).execute(new GetRoster(partnerId, limit, cursor));
  }

  /** Returns the ids of all pages. `between` runs after each page. */
  async function paged(partnerId: string, limit: number, between: () => Promise<void> = () => Promise.resolve()): Promise<string[]> {
    const found: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const { items, next_cursor } = await page(partnerId, limit, cursor);
      found.push(...items.map(({ rupa_id }) => rupa_id));
      cursor = next_cursor;
      await between();
    }
    return found;
  }

  async function shown(partnerId: string): Promise<string[]> {
    return (await page(partnerId, 200)).items.map(({ rupa_id }) => rupa_id);
  }

  it('shows the farmers that were looked up last', async () => {
    await lookUp('many', [...farmers(1, 5_000), 'rp-7', 'rp-4999', 'rp-7']);
    expect(await shown('many')).toStrictEqual(['rp-7', 'rp-4999', 'rp-5000', ...farmers(4_802, 4_998).reverse()]);
  });

  it('shows farmers from long ago when only a few were looked up since', async () => {
    await lookUp('few', [...farmers(1, 250), ...Array.from({ length: 5_000 }, () => ['rp-1', 'rp-2']).flat()]);
    expect(await shown('few')).toStrictEqual(['rp-2', 'rp-1', ...farmers(53, 250).reverse()]);
  });

  it('is reached to its end by pages, also where accesses have the same time', async () => {
    await lookUp('paged', farmers(1, 450));
    expect(await paged('paged', 200)).toStrictEqual(farmers(1, 450).reverse());
    await pool.query(`update read.consent_roster set last_accessed_at = '2026-01-01' where partner_id = 'paged'`);
    expect((await paged('paged', 100)).sort()).toStrictEqual(farmers(1, 450).sort());
  });

  it('shows no erased farmer, on the first page or a later one', async () => {
    const some = farmers(10_001, 10_450);
    await lookUp('erasing', some);
    const isErased = (rupaId: string): boolean => Number(rupaId.slice(3)) % 3 > 0;
    await pool.query('insert into read.erased_farmer (rupa_id, position, erased_at) select id, 1, now() from unnest($1::text[]) id', [
      some.filter(isErased),
    ]);
    for (const limit of [7, 200]) expect(await paged('erasing', limit)).toStrictEqual(some.filter((id) => !isErased(id)).reverse());
  });

  it('neither repeats nor hides an entry when others are added while it is paged', async () => {
    await lookUp('growing', farmers(1, 30));
    let added = 0;
    const add = async (): Promise<void> => {
      added += 1;
      await pool.query(
        `insert into read.consent_roster (partner_id, rupa_id, source, granted_at, last_accessed_at, access_count, last_revision, granted_revision, granted_position)
         values ('growing', $1, 'loan', now(), now(), 1, $2, $2, 0)`,
        [`rp-new-${added}`, 1_000 + added],
      );
    };
    expect(await paged('growing', 7, add)).toStrictEqual(farmers(1, 30).reverse());
  });

  it('neither repeats nor hides an entry whose farmer is looked up again while it is paged', async () => {
    let runs = 0;
    const again = fc.array(fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 4 }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(again, fc.integer({ min: 1, max: 7 }), async (rounds, limit) => {
        const partner = `moving ${(runs += 1)}`;
        await lookUp(partner, [...farmers(1, 20), 'rp-3', 'rp-11']);
        const first = ['rp-11', 'rp-3', ...farmers(1, 20).reverse()].filter((id, index, ids) => ids.indexOf(id) === index);
        let revision = 100;
        const lookUpAgain = async (): Promise<void> => {
          for (const id of rounds.shift() ?? []) await lookUpOnceMore(partner, `rp-${id}`, (revision += 1));
        };
        expect(await paged(partner, limit, lookUpAgain)).toStrictEqual(first);
      }),
      { numRuns: RUNS },
    );
  });

  it('does not count a refund as a lookup', async () => {
    await lookUp('refunded', farmers(1, 4_100));
    await pool.query(
      `insert into read.wallet_entry (partner_id, revision, position, type, recorded_at, amount_kobo, balance_after_kobo, rupa_id, hash)
       select 'refunded', 4100 + n, 4100 + n, 'RefundIssued', now(), 1, 0, 'rp-' || n, '' from generate_series(1, 3900) n`,
    );
    expect(await shown('refunded')).toStrictEqual(farmers(3_901, 4_100).reverse());
  });
});
