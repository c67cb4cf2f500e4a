// Peer of the benchmark: billed lookups with Fastify and PostgreSQL and an auditor's duties, without event sourcing: one call of a PL/pgSQL
// function per lookup locks the wallet, appends a hash-chained row of history with the balance after it, keeps entry, roster, usage and the
// day's double entry, and leaves the charge open until it is settled. peer.mjs says which settings it reads.
import { serve } from '../lookup-peer.mjs';
import { partners, pool } from '../peer.mjs';

await pool.query(`
  create table history(partner_id int, revision bigint, type text, recorded_at timestamptz, data jsonb, prev_hash bytea, hash bytea, primary key(partner_id, revision));
  create table head(partner_id int primary key, revision bigint, hash bytea) with (fillfactor=50);
  create table usage(partner_id int primary key, lookups bigint default 0) with (fillfactor=50);
  create table ledger_day(partner_id int, day date, account text, amount_kobo bigint, primary key(partner_id, day, account)) with (fillfactor=50);
  create table open_charge(lookup_id uuid primary key, partner_id int, amount_kobo bigint, debited_at timestamptz);
  create index on wallet_entry(partner_id, id);
`);
await pool.query(`create function charge(p int, amount bigint, lookup uuid, fees jsonb, farmer text, src text) returns bigint language plpgsql as $f$
declare h head; balance bigint; entry jsonb; digest bytea; today date := (now() at time zone 'utc')::date;
begin
  select * into h from head where partner_id = p for update;
  update wallet set balance_kobo = balance_kobo - amount where partner_id = p and balance_kobo >= amount returning balance_kobo into balance;
  if balance is null then return null; end if;
  entry := jsonb_build_object('lookup_id', lookup, 'rupa_id', farmer, 'source', src, 'amount_kobo', amount, 'breakdown', fees, 'balance_after_kobo', balance, 'recorded_at', now());
  digest := sha256(h.hash || convert_to(h.revision || 'WalletDebited' || entry::text, 'UTF8'));
  insert into history values (p, h.revision + 1, 'WalletDebited', now(), entry, h.hash, digest);
  update head set revision = h.revision + 1, hash = digest where partner_id = p;
  insert into wallet_entry(partner_id, lookup_id, amount_kobo, breakdown) values (p, lookup, -amount, fees);
  insert into consent(partner_id, rupa_id, source) values (p, farmer, src) on conflict (partner_id, rupa_id) do update set last_accessed_at = now(), access_count = consent.access_count + 1;
  update usage set lookups = lookups + 1 where partner_id = p;
  insert into ledger_day select p, today, key, (value::numeric * 100)::bigint from jsonb_each_text(fees) on conflict (partner_id, day, account) do update set amount_kobo = ledger_day.amount_kobo + excluded.amount_kobo;
  insert into open_charge values (lookup, p, amount, now());
  return balance;
end $f$`);
for (let i = 0; i < partners; i++) {
  await pool.query(`insert into head values ($1, 0, sha256('genesis'))`, [i]);
  await pool.query('insert into usage values ($1, 0)', [i]);
}

// Charges that were answered are settled together, as an outbox would: ten times a second.
let answered = [];
const settle = async () => {
  const ids = answered;
  answered = [];
  if (ids.length > 0) await pool.query({ name: 'settle', text: 'delete from open_charge where lookup_id = any($1)', values: [ids] });
  timer = setTimeout(settle, 100);
};
let timer = setTimeout(settle, 100);

await serve(
  async (partner, { amount, lookupId, breakdown, rupaId, source }) => {
    const values = [partner.id, amount, lookupId, JSON.stringify(breakdown), rupaId, source];
    const { rows } = await pool.query({ name: 'charge', text: 'select charge($1, $2, $3, $4, $5, $6) as balance', values });
    if (rows[0].balance === null) return false;
    answered.push(lookupId);
    return true;
  },
  () => clearTimeout(timer),
);
