// Peer of the benchmark: reports with Fastify and PostgreSQL, without event sourcing, in one `insert … on conflict` statement per report,
// idempotent by the partner's reference. peer.mjs says which settings it reads.
import { farmers, pool } from '../peer.mjs';
import { serve } from '../report-peer.mjs';

await pool.query(`
  create table farmer(rupa_id text primary key);
  create table contribution(
    id bigint generated always as identity primary key, partner_id int not null, partner_reference text, rupa_id text not null references farmer, event text not null,
    amount_kobo bigint, currency text not null, occurred_at timestamptz not null, payload jsonb, recorded_at timestamptz not null default now(), updated_at timestamptz,
    unique (partner_id, partner_reference));
  create index on contribution (rupa_id, event, occurred_at desc);
`);
await pool.query(`insert into farmer select 'rp-' || i from generate_series(0, $1 - 1) i`, [farmers]);

// For an unknown farmer the statement inserts nothing. For a repeated report it updates nothing, and UNCHANGED finds the row.
const RECORD = `
  insert into contribution as c (partner_id, partner_reference, rupa_id, event, amount_kobo, currency, occurred_at, payload)
  select $1, $2, f.rupa_id, $4, $5, $6, $7, $8 from farmer f where f.rupa_id = $3
  on conflict (partner_id, partner_reference) do update
    set rupa_id = excluded.rupa_id, event = excluded.event, amount_kobo = excluded.amount_kobo, currency = excluded.currency, occurred_at = excluded.occurred_at, payload = excluded.payload, updated_at = now()
    where (c.rupa_id, c.event, c.amount_kobo, c.currency, c.occurred_at, c.payload) is distinct from (excluded.rupa_id, excluded.event, excluded.amount_kobo, excluded.currency, excluded.occurred_at, excluded.payload)
  returning id, xmax = 0 as created`;
const UNCHANGED = 'select id from contribution where partner_id = $1 and partner_reference = $2 and rupa_id = $3';

await serve(async (partner, rupaId, { event, amount, currency = 'NGN', partner_reference = null, occurred_at, payload }) => {
  const values = [
    partner.id,
    partner_reference,
    rupaId,
    event,
    amount === undefined ? null : Math.round(amount * 100),
    currency,
    occurred_at ?? new Date().toISOString(),
    payload === undefined ? null : JSON.stringify(payload),
  ];
  const { rows } = await pool.query({ name: 'record', text: RECORD, values });
  if (rows[0]) return rows[0];
  const unchanged = await pool.query({ name: 'unchanged', text: UNCHANGED, values: [partner.id, partner_reference, rupaId] });
  return unchanged.rows[0] && { ...unchanged.rows[0], created: false };
});
