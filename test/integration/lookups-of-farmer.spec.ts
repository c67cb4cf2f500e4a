import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Pool } from 'pg';
import { walletEntryProjection } from '../../projections/wallet-entry/wallet-entry.projection.js';
import { type ExplainLookup, type ExplainLookupHandler } from '../../src/contexts/lookups/explaining/explain-lookup.query.js';
import { ExplainLookupsOfFarmer, ExplainLookupsOfFarmerHandler } from '../../src/contexts/lookups/listing/find-lookups.query.js';
import { createTable } from '../../src/platform/projecting/read-model-table.js';
import { type ReadModels } from '../../src/platform/projecting/read-models.js';
import { createMigratedDatabase, type TestDatabase, testPool } from '../support/database.js';

const alreadyShown = { waitForLog: () => Promise.resolve() } as unknown as ReadModels;
const named = { execute: ({ lookupId }: ExplainLookup) => Promise.resolve({ lookup_id: lookupId }) } as unknown as ExplainLookupHandler;

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Lookups of the farmer, three at each moment, by two partners, among those of others. */
const LOOKUPS = 300;
const OTHERS = 20_000;

describe('the lookups of a farmer', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    pool = testPool(database.url, 2);
    const client = await pool.connect();
    await createTable(client, walletEntryProjection, 'read');
    client.release();
    await pool.query(
      `insert into read.wallet_entry (partner_id, revision, position, type, recorded_at, amount_kobo, balance_after_kobo, rupa_id, lookup_id, hash)
       select case n % 2 when 0 then 'p1' else 'p2' end, n, n, 'WalletDebited', timestamptz '2026-01-01' + (n / 3) * interval '1 hour', -1, 0, 'rp-1', 'l' || n, ''
         from generate_series(0, ${LOOKUPS - 1}) n
       union all select 'p3', n, n, 'WalletDebited', timestamptz '2026-01-01' + n * interval '1 minute', -1, 0, 'rp-' || 2 + n % 900, 'o' || n, ''
         from generate_series(1, ${OTHERS}) n
       union all select 'p1', ${LOOKUPS} + n, ${LOOKUPS} + n, 'RefundIssued', timestamptz '2026-01-02', 1, 0, 'rp-1', 'l' || n, '' from generate_series(0, 9) n`,
    );
    await pool.query('analyze read.wallet_entry');
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const handler = (over: Pool = pool): ExplainLookupsOfFarmerHandler => new ExplainLookupsOfFarmerHandler(over, alreadyShown, named);

  async function found(limit: number, window: { readonly from?: string; readonly to?: string } = {}): Promise<string[]> {
    const ids: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await handler().execute(new ExplainLookupsOfFarmer('rp-1', window, limit, cursor));
      ids.push(...page.items.map(({ lookup_id }) => lookup_id));
      cursor = page.next_cursor;
    }
    return ids;
  }

  it('are paged, newest first, each once, also those of the same moment', async () => {
    const all = await found(LOOKUPS);
    expect(new Set(all)).toStrictEqual(new Set(Array.from({ length: LOOKUPS }, (_, index) => `l${index}`)));
    expect(all.slice(0, 3).sort()).toStrictEqual([`l${LOOKUPS - 3}`, `l${LOOKUPS - 2}`, `l${LOOKUPS - 1}`]);
    expect(await found(7)).toStrictEqual(all);
  });

  it('are those of the window, with both of its ends, and a date to its end', async () => {
    expect((await found(50, { from: '2026-01-01T05:00:00Z', to: '2026-01-01T07:00:00+01:00' })).sort()).toStrictEqual(
      ['l15', 'l16', 'l17', 'l18', 'l19', 'l20'].sort(),
    );
    expect(await found(50, { from: '2026-01-02', to: '2026-01-02' })).toHaveLength(72);
    expect(await found(50, { from: '2026-02-01' })).toStrictEqual([]);
  });

  it('are read by an index that has the farmer and the time, and no more of them than a page has', async () => {
    const nodes: PlanNode[] = [];
    const explaining = {
      query: async (sql: string, parameters: unknown[]) => {
        const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(`explain (analyze, format json) ${sql}`, parameters);
        const collect = (node: PlanNode): void => {
          nodes.push(node);
          node.Plans?.forEach(collect);
        };
        collect(rows[0]?.['QUERY PLAN'][0].Plan ?? {});
        return { rows: [] };
      },
    } as unknown as Pool;
    const page = await handler().execute(new ExplainLookupsOfFarmer('rp-1', {}, 20));
    await handler(explaining).execute(
      new ExplainLookupsOfFarmer('rp-1', { from: '2026-01-01', to: '2026-01-31' }, 20, page.next_cursor ?? ''),
    );
    const scans = nodes.filter((node) => node['Relation Name'] === 'wallet_entry');
    expect(scans.map((node) => node['Index Name'])).toStrictEqual([expect.stringMatching(/hashtext_recorded_at/)]);
    expect((scans[0]?.['Actual Rows'] ?? 0) + (scans[0]?.['Rows Removed by Filter'] ?? 0)).toBeLessThan(40);
  });
});
