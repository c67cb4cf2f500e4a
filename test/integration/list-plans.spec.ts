import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Pool } from 'pg';
import { projections } from '../../projections/index.js';
import { GetRoster, GetRosterHandler } from '../../src/contexts/consents/get-roster.query.js';
import { GetContributions, GetContributionsHandler } from '../../src/contexts/reports/get-contributions.query.js';
import { GetLookup, GetLookups, GetLookupsHandler, GetLookupHandler } from '../../src/contexts/lookups/listing/get-lookups.query.js';
import { GetWalletEntries, GetWalletEntriesHandler } from '../../src/contexts/wallet/entries/get-wallet-entries.query.js';
import { EventList, EventListLimits } from '../../src/contexts/webhooks/events/event-list.js';
import { GetDeliveries, GetDeliveriesHandler } from '../../src/contexts/webhooks/delivering/get-deliveries.query.js';
import { createPool } from '../../src/platform/database/pool.js';
import { ReadModelTable } from '../../src/platform/projecting/read-model-table.js';
import { type ReadModels } from '../../src/platform/projecting/read-models.js';
import { type UnshownChanges } from '../../src/platform/projecting/in-memory/unshown-changes.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';

const ROWS = 20_000;
const CONSENTS = 1_500;
/** Far below the rows of one farmer's reports for each consent, and below a partner's rows for each row of a page. */
const MOST_ROWS = 4 * ROWS;
const ALL_AT = "timestamptz '2026-11-01'";

/** A node of EXPLAIN's output. */
interface Plan {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

/** Returns how many rows the scans of a plan read. */
function rowsRead(plan: Plan): number {
  const own =
    plan['Node Type'].endsWith('Scan') && plan['Node Type'] !== 'Subquery Scan'
      ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
      : 0;
  return own + (plan.Plans ?? []).reduce((sum, each) => sum + rowsRead(each), 0);
}

const readModels = { waitForStream: () => Promise.resolve(true) } as unknown as ReadModels;
const unshown = { waitFor: () => Promise.resolve() } as unknown as UnshownChanges;

describe.each(['without statistics', 'with statistics'])('the statements of a list, %s', (statistics) => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    pool = createPool(database.url, 2, () => undefined);
    const client = await pool.connect();
    for (const projection of projections) await new ReadModelTable(projection, 'read').create(client);
    client.release();
    // Autovacuum would gather statistics at a time of its own.
    for (const table of ['ops.notification', 'ops.webhook_delivery', 'read.consent_roster', 'read.wallet_entry', 'read.contribution'])
      await pool.query(`alter table ${table} set (autovacuum_enabled = off)`);
    await fill();
    if (statistics === 'with statistics') await pool.query('analyze');
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  /** One farmer has all reports, one partner nearly all consents, lookups, contributions and deliveries, and all are of one moment. */
  async function fill(): Promise<void> {
    await pool.query(
      `insert into ops.notification (sequence, position, event_id, type, rupa_id, occurred_at, recorded_at)
       select n, n, gen_random_uuid(), 'farmer.loan_added', 'rp-all', ${ALL_AT}, ${ALL_AT} from generate_series(1, ${ROWS}) n`,
    );
    for (const [partner, rows] of [['large', ROWS] as const, ['small', CONSENTS] as const]) {
      await pool.query(
        `with looked_up as (insert into read.wallet_entry (partner_id, revision, type, recorded_at, amount_kobo, balance_after_kobo, lookup_id, request_id, rupa_id, source, hash)
           select $1, n, 'WalletDebited', ${ALL_AT}, -1, 0, $1 || n, 'same', 'rp-' || n, 'loan', '' from generate_series(1, $2::int) n returning revision, rupa_id)
         insert into read.consent_roster (partner_id, rupa_id, source, granted_at, last_accessed_at, access_count, last_revision, granted_revision, granted_position)
         select $1, rupa_id, 'loan', ${ALL_AT}, ${ALL_AT}, 1, revision, revision, 0 from looked_up`,
        [partner, rows],
      );
      await pool.query(
        `insert into read.contribution (contribution_id, partner_id, account_type, rupa_id, event, currency, occurred_at, partner_reference, recorded_at, updated_at)
         select n + case $1 when 'large' then 0 else ${ROWS} end, $1, 'bank', 'rp-all', 'loan_disbursed', 'NGN', ${ALL_AT}, 'ref ' || n, ${ALL_AT}, ${ALL_AT} from generate_series(1, $2::int) n`,
        [partner, rows],
      );
    }
    await pool.query(
      `insert into read.webhook_endpoint (endpoint_id, partner_id, mode, url, events, status, secret_id, replaced_secrets, registered_at, enabled_position)
       values (1, 'large', 'live', 'https://x', '["*"]', 'enabled', 's', '[]', now(), 0), (2, 'small', 'live', 'https://x', '["*"]', 'enabled', 's', '[]', now(), 0)`,
    );
    await pool.query(
      `insert into ops.webhook_delivery (event_id, endpoint_id, partner_id, type, recorded_at, sequence, status, next_attempt_at)
       select gen_random_uuid(), case when n % 4000 = 0 then 2 else 1 end, 'large', 'farmer.loan_added', ${ALL_AT}, n, 'delivered', null from generate_series(1, ${ROWS}) n`,
    );
  }

  /** Runs a call, and returns how many rows the plans of its statements read. */
  async function rowsReadBy(call: (explaining: Pool) => Promise<unknown>): Promise<number> {
    let rows = 0;
    const explaining = {
      query: async (text: string, values: unknown[]) => {
        const { rows: plans } = await pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`explain (analyze, format json) ${text}`, values);
        rows += plans.reduce((sum, each) => sum + rowsRead(each['QUERY PLAN'][0].Plan), 0);
        return await pool.query(text, values);
      },
    };
    await call(explaining as unknown as Pool);
    return rows;
  }

  const limits = new EventListLimits();
  const events = (partner_id: string, rupaId?: string) => (explaining: Pool) =>
    new EventList(explaining, limits).after('0', { partner_id }, { rupaId }, 50);

  it.each([
    ['events of a partner with many consents', events('small')],
    ['events of one farmer', events('small', 'rp-7')],
    ['events of a partner without consents', events('nobody')],
    [
      'consents of the large partner',
      (explaining: Pool) => new GetRosterHandler(explaining, readModels).execute(new GetRoster('large', 200)),
    ],
    [
      'consents of the small partner',
      (explaining: Pool) => new GetRosterHandler(explaining, readModels).execute(new GetRoster('small', 200)),
    ],
    [
      'lookups of the large partner',
      (explaining: Pool) => new GetLookupsHandler(explaining, readModels).execute(new GetLookups('large', 50, {})),
    ],
    [
      'lookups of the small partner',
      (explaining: Pool) => new GetLookupsHandler(explaining, readModels).execute(new GetLookups('small', 50, {})),
    ],
    [
      'lookups of one request',
      (explaining: Pool) => new GetLookupsHandler(explaining, readModels).execute(new GetLookups('small', 50, { requestId: 'same' })),
    ],
    ['one lookup', (explaining: Pool) => new GetLookupHandler(explaining, readModels).execute(new GetLookup('large', 'large7'))],
    [
      'entries of a wallet',
      (explaining: Pool) =>
        new GetWalletEntriesHandler(explaining, readModels).execute(new GetWalletEntries('large', undefined, 50, 'desc')),
    ],
    [
      'contributions',
      (explaining: Pool) => new GetContributionsHandler(explaining, unshown).execute(new GetContributions('large', 50, {})),
    ],
    [
      'contributions with a reference',
      (explaining: Pool) =>
        new GetContributionsHandler(explaining, unshown).execute(new GetContributions('small', 50, { partnerReference: 'ref 7' })),
    ],
    ['deliveries', (explaining: Pool) => new GetDeliveriesHandler(explaining).execute(new GetDeliveries('small', 2, 50))],
  ])('read a bounded number of rows: %s', async (_name, call) => {
    expect(await rowsReadBy(call)).toBeLessThan(MOST_ROWS);
  });
});
