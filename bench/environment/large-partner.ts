import { consentRosterProjection } from '../../projections/consent-roster/consent-roster.projection.js';
import { webhookEndpointProjection } from '../../projections/webhook-endpoint/webhook-endpoint.projection.js';
import { WEBHOOK_TABLES } from '../../src/contexts/webhooks/notifying/signed-rows.js';
import { type Partner } from './calls.js';
import { query } from './database.js';
import { signRows } from './sign-rows.js';

/** Endpoint of the partner, which has no subscriber: its deliveries have ended. */
export const ENDPOINT_ID = 1_000_000;
export const REPORTED_FARMER = 'rp-reported';

const AT = "timestamptz '2026-01-01' + n * interval '1 second'";
const NUMBERS = 'generate_series(1, $2::int) n';

/**
 * Rows of one partner ($1), as many as $2 in each table. They are only in the tables that lists read. All notifications are about one farmer,
 * for whom the partner has no consent, which is the worst case of the list of events.
 */
const ROWS: readonly string[] = [
  `insert into ops.notification (sequence, position, event_id, type, rupa_id, occurred_at, recorded_at)
   select 1000000000 + n, n, gen_random_uuid(), 'farmer.loan_added', '${REPORTED_FARMER}', ${AT}, now() from ${NUMBERS} where $1 <> ''`,
  `insert into read.consent_roster (partner_id, rupa_id, source, granted_at, last_accessed_at, access_count, last_revision, granted_revision, granted_position)
   select $1, 'rp-' || n, 'loan', ${AT}, ${AT}, 1, n + 10, n + 10, 0 from ${NUMBERS}`,
  `insert into read.wallet_entry (partner_id, revision, position, type, recorded_at, amount_kobo, balance_after_kobo, lookup_id, request_id, rupa_id, source, price_book_version, breakdown_kobo, hash)
   select $1, n + 10, n + 10, 'WalletDebited', ${AT}, -100, 0, 'lookup ' || n, 'same', 'rp-' || n, 'loan', 1, '{"svc_fee.identity":100}', repeat('0', 64) from ${NUMBERS}`,
  `insert into read.contribution (contribution_id, partner_id, account_type, rupa_id, subject, event, currency, occurred_at, partner_reference, recorded_at, updated_at)
   select 1000000000 + n, $1, 'bank', '${REPORTED_FARMER}', '${REPORTED_FARMER}', 'loan_disbursed', 'NGN', ${AT}, 'same', ${AT}, ${AT} from ${NUMBERS}`,
  `insert into ops.webhook_delivery (event_id, endpoint_id, partner_id, type, recorded_at, sequence, status, next_attempt_at)
   select gen_random_uuid(), ${ENDPOINT_ID}, $1, 'farmer.loan_added', ${AT}, n, 'delivered', null from ${NUMBERS}`,
  `insert into read.webhook_endpoint (endpoint_id, partner_id, mode, url, events, status, secret_id, replaced_secrets, registered_at, enabled_position)
   select ${ENDPOINT_ID} + n - 1, $1, 'live', 'https://localhost', '["*"]'::jsonb, case when n = 1 then 'enabled' else 'deleted' end, 's', '[]'::jsonb, ${AT}, 0 from ${NUMBERS}`,
];

/** Gives a partner `rows` rows in each table that its lists read, and gathers statistics. */
export async function fillLists(
  stores: { readonly databaseUrl: string; readonly masterKey: string },
  { partner_id }: Partner,
  rows: number,
): Promise<void> {
  const { databaseUrl } = stores;
  for (const statement of ROWS) await query(databaseUrl, statement, [partner_id, rows]);
  for (const table of [consentRosterProjection, webhookEndpointProjection, ...WEBHOOK_TABLES]) await signRows(stores, table);
  await query(databaseUrl, 'analyze');
}
