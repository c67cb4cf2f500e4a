import { type Pool } from 'pg';
import { projections } from '../../projections/index.js';
import { tablesOf } from '../../src/platform/projecting/projection.js';
import { createTable } from '../../src/platform/projecting/read-model-table.js';

/** How the rows of a data set are distributed. Each is an SQL expression of `n`, the number of a row from 1 on. */
interface Distribution {
  readonly partner: string;
  readonly farmer: string;
  readonly at: string;
  readonly type: string;
  /** Request id and reference that the caller chose. */
  readonly chosen: string;
  readonly endpoint: string;
  readonly actor: string;
}

const TYPE = `(array['farmer.loan_added', 'farmer.loan_repaid', 'farmer.harvest_recorded'])[1 + n % 3]`;
const SPREAD: Distribution = {
  partner: "'p-' || n % 500",
  farmer: "'rp-' || n % 7000",
  at: "timestamptz '2026-10-01' + n * interval '1 second'",
  type: TYPE,
  chosen: "'chosen ' || n % 1000",
  endpoint: '1000 + n % 500',
  actor: "'actor ' || n % 50",
};
const LARGE: Distribution = { ...SPREAD, partner: "'large'", endpoint: '1', actor: "'amina'" };

/** Data sets, each of which a plan that suits the others would read as a whole. */
export const DATA_SETS: Readonly<Record<string, (rows: number) => Distribution>> = {
  'one farmer has all reports and lookups': () => ({ ...LARGE, farmer: "'rp-hot'" }),
  'one partner has all consents': (rows) => ({ ...LARGE, farmer: `'rp-' || n % ${rows / 2}` }),
  'all rows have one time, type and reference': (rows) => ({
    ...LARGE,
    farmer: `'rp-' || n % ${rows / 2}`,
    at: "timestamptz '2026-11-01'",
    type: "'farmer.loan_added'",
    chosen: "'same'",
  }),
  'many partners have few rows each': (rows) => ({
    ...SPREAD,
    partner: `'p-' || n % ${rows / 20}`,
    farmer: `'rp-' || n % ${rows / 4}`,
    endpoint: `1000 + n % ${rows / 20}`,
  }),
};

const TABLES = [
  ...['ops.notification', 'ops.notification_recipient', 'ops.webhook_delivery', 'ops.webhook_health'],
  ...tablesOf(projections).map(({ name }) => `read.${name}`),
];

export const STATISTICS = ['with statistics of another distribution', 'with statistics', 'without statistics'] as const;

export async function createTables(pool: Pool): Promise<void> {
  const client = await pool.connect();
  for (const table of tablesOf(projections)) await createTable(client, table, 'read');
  client.release();
  // Autovacuum would gather statistics at a time of its own.
  for (const table of TABLES) await pool.query(`alter table ${table} set (autovacuum_enabled = off)`);
}

export async function useStatistics(pool: Pool, statistics: (typeof STATISTICS)[number]): Promise<void> {
  if (statistics === 'with statistics') await pool.query('analyze');
  if (statistics !== 'without statistics') return;
  await pool.query('delete from pg_statistic where starelid = any($1::regclass[])', [TABLES]);
  await pool.query(`select pg_clear_relation_stats(split_part(t, '.', 1), split_part(t, '.', 2)) from unnest($1::text[]) t`, [TABLES]);
}

/**
 * Fills the tables: statistics are gathered of a tenth of the rows, which are spread evenly, and the others are those of the data set.
 * Besides `large`, there are the partners `small` with few rows, `repeating` that has looked up one farmer again and again, `credited`
 * whose newest entries are no lookups, `wide` with more consents than a search of events looks through, about farmers without events, and
 * `nobody` without rows.
 */
export async function fill(pool: Pool, rows: number, name: string): Promise<void> {
  const distribution = DATA_SETS[name]?.(rows);
  if (!distribution) throw new Error(`There is no data set ${name}.`);
  await fillWith(pool, SPREAD, 1, rows / 10);
  // The searches of wallets read it.
  await pool.query("insert into ops.checkpoint (projection, version, position) values ('wallet_entry', 1, 0)");
  await pool.query('analyze');
  await fillWith(pool, distribution, rows / 10 + 1, rows);
  await fillWith(pool, { ...LARGE, partner: "'small'", endpoint: '2', actor: "'rare'" }, rows + 1, rows + 1_500);
  await addWallets(pool, rows);
  await addFarmers(pool);
  await pool.query(`insert into read.consent_roster (partner_id, rupa_id, source, granted_at, last_accessed_at, access_count, last_revision, granted_revision, granted_position)
    select partner_id, rupa_id, 'loan', (select min(recorded_at) from ops.notification), max(recorded_at), count(*), max(revision), min(revision), 0 from read.wallet_entry
    where type = 'WalletDebited' group by partner_id, rupa_id`);
  await pool.query(`insert into read.consent_roster (partner_id, rupa_id, source, granted_at, last_accessed_at, access_count, last_revision, granted_revision, granted_position)
    select 'wide', 'quiet-' || n, 'loan', timestamptz '2026-10-01', timestamptz '2026-10-01', 1, n, n, 0 from ${numbers(1, wideConsents(rows))}`);
}

/** More than the window of a search of events (list-calls.ts). */
export const wideConsents = (rows: number): number => Math.max(2_500, rows / 40);

const numbers = (from: number, to: number): string => `generate_series(${Math.ceil(from)}, ${Math.floor(to)}) n`;

async function fillWith(
  pool: Pool,
  { partner, farmer, at, type, chosen, endpoint, actor }: Distribution,
  from: number,
  to: number,
): Promise<void> {
  const each = numbers(from, to);
  const run = (text: string): Promise<unknown> => pool.query(text);
  await run(`insert into ops.notification (sequence, position, event_id, type, rupa_id, occurred_at, recorded_at)
    select n, n, gen_random_uuid(), ${type}, ${farmer}, ${at}, ${at} from ${each}`);
  await run(`insert into ops.notification_recipient (partner_id, sequence) select ${partner}, n from ${each} where n % 10 = 0`);
  await run(`insert into read.wallet_entry (partner_id, revision, position, type, recorded_at, amount_kobo, balance_after_kobo, lookup_id, request_id, rupa_id, source, hash, reference)
    select partner_id, row_number() over (partition by partner_id order by n), n, entry, recorded_at, -1, 0, lookup_id, request_id, rupa_id, 'loan', '', null
    from (select n, ${partner} as partner_id, case when n % 4 = 0 then 'ChargesSettled' else 'WalletDebited' end as entry, ${at} as recorded_at, 'l' || n as lookup_id,
      ${chosen} as request_id, ${farmer} as rupa_id from ${each}) n on conflict do nothing`);
  await run(`insert into read.contribution (contribution_id, partner_id, account_type, rupa_id, subject, event, currency, occurred_at, partner_reference, loan_reference, recorded_at, updated_at)
    select n, ${partner}, 'bank', ${farmer}, ${farmer}, 'loan_repayment', 'NGN', ${at}, ${chosen}, ${chosen}, ${at}, ${at} from ${each}`);
  await run(`insert into ops.webhook_delivery (event_id, endpoint_id, partner_id, type, rupa_id, recorded_at, created_at, sequence, status, next_attempt_at)
    select gen_random_uuid(), ${endpoint}, ${partner}, ${type}, ${farmer}, ${at}, ${at}, n, s, case when s = 'pending' then now() end
    from ${each}, lateral (select (array['delivered', 'pending', 'exhausted'])[1 + n % 3] as s) o`);
  await run(`insert into read.admin_call (entry_id, position, at, actor, role, fingerprint, action, target, status, request_id)
    select 'e' || n, n, ${at}, ${actor}, case when n % 9 = 0 then 'cli' else 'admin' end, ${actor}, 'GET /admin/v1/' || ${actor}, null, 200, 'r' from ${each}`);
  await run(
    `insert into read.api_key (key_id, key_hash, partner_id, deactivated, created_at) select 'k' || n, 'h' || n, ${partner}, false, ${at} from ${each}`,
  );
  await run(`insert into read.partner (partner_id, company_name, account_type, mode, status, optional_sections, ip_allow_list, registered_at, test_run)
    select distinct on (1) ${partner}, 'Company', 'bank', 'live', 'active', '[]'::jsonb, '[]'::jsonb, ${at}, 0 from ${each} on conflict do nothing`);
  await run(`insert into read.partner (partner_id, company_name, account_type, mode, status, optional_sections, ip_allow_list, registered_at, test_run)
    select 'extra-' || n, 'Extra', 'bank', 'live', 'active', '[]'::jsonb, '[]'::jsonb, ${at}, 0 from ${numbers(from, from + (to - from) / 20)}`);
  await run(`insert into read.customer (partner_id, customer_number, legal)
    select partner_id, 1000 + (select count(*) from read.customer) + row_number() over (order by registered_at, partner_id), '{}'::jsonb
    from read.partner p where not exists (select from read.customer c where c.partner_id = p.partner_id)`);
  await run(`insert into read.webhook_endpoint (endpoint_id, partner_id, mode, url, events, status, secret_id, replaced_secrets, registered_at, enabled_position)
    select distinct on (1) ${endpoint}, ${partner}, 'live', 'https://x', '["*"]'::jsonb, 'enabled', 's', '[]'::jsonb, ${at}, 0 from ${each} on conflict do nothing`);
  // A partner may register and delete endpoints again and again.
  await run(`insert into read.webhook_endpoint (endpoint_id, partner_id, mode, url, events, status, secret_id, replaced_secrets, registered_at, enabled_position)
    select 10000000 + n, ${partner}, 'live', 'https://x', '["*"]'::jsonb, 'deleted', 's', '[]'::jsonb, ${at}, 0 from ${numbers(from, from + (to - from) / 10)}`);
  // A third of the endpoints fail, and another third were disabled for it.
  await run(`insert into ops.webhook_health (endpoint_id, failing_since)
    select endpoint_id, registered_at from read.webhook_endpoint where status = 'enabled' and endpoint_id % 3 = 0 on conflict do nothing`);
  await run(
    `update read.webhook_endpoint set status = 'disabled', disabled_reason = 'failing' where status = 'enabled' and endpoint_id % 3 = 1`,
  );
}

export async function addFarmers(pool: Pool): Promise<void> {
  await pool.query(`insert into read.farmer_profile
      (rupa_id, mode, erased, registered_at, has_bureau_report, bvn_verified, nin_verified, agent_enrolled, gps_farm, ndvi_present, phone_verified)
    select id, 'live', false, now(), false, false, false, false, false, false, false from unnest(array['rp-hot', 'rp-7', 'rp-none']) id`);
  await pool.query(`insert into read.farmer_reports (subject, reports, outstanding_kobo, loans, repayments, policies, harvests, input_purchases)
    select rupa_id, count(*), 0, '[]', '[]', '{"as_of":null,"listed":[],"sums":[]}', '[]', '[]' from read.contribution group by 1`);
}

async function addWallets(pool: Pool, rows: number): Promise<void> {
  const consents = rows / 4;
  await pool.query(`insert into read.wallet_entry (partner_id, revision, position, type, recorded_at, amount_kobo, balance_after_kobo, lookup_id, request_id, rupa_id, source, hash)
    select 'repeating', n, n, 'WalletDebited', timestamptz '2026-11-01', -1, 0, 'repeated ' || n, 'r', 'rp-' || least(n, ${consents}), 'loan', '' from ${numbers(1, rows / 2)}`);
  await pool.query(`insert into read.wallet_entry (partner_id, revision, position, type, recorded_at, amount_kobo, balance_after_kobo, lookup_id, request_id, rupa_id, source, hash)
    select 'credited', n, n, case when n <= ${consents} then 'WalletDebited' else 'LookupCompensated' end, timestamptz '2026-11-01', -1, 0, 'credited ' || n, case when n <= ${consents} then 'r' end, 'rp-' || n, 'loan', ''
    from ${numbers(1, rows / 2)}`);
}
