// Peer of the benchmark: reports with Fastify and PostgreSQL and an auditor's duties, without event sourcing. Amount, reference and payload
// are encrypted with a data key of the farmer, references are found by their hash, and one call of a PL/pgSQL function per report keeps the
// contribution, a row of history for each of its versions, the partner's usage and an outbox for webhooks. peer.mjs says which
// settings it reads.
import { LRUCache } from 'lru-cache';
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { farmers, pool } from '../peer.mjs';
import { serve } from '../report-peer.mjs';

await pool.query(`
  create table farmer(rupa_id text primary key);
  create table data_key(rupa_id text primary key references farmer, wrapped bytea);
  create table contribution(
    id bigint generated always as identity primary key, partner_id int not null, reference_hash bytea, rupa_id text not null, event text not null,
    currency text not null, occurred_at timestamptz not null, personal bytea not null, content_hash bytea not null, version int not null default 1,
    recorded_at timestamptz not null default now(), updated_at timestamptz);
  create unique index on contribution (partner_id, reference_hash);
  create index on contribution (rupa_id, event, occurred_at desc);
  create table history(
    contribution_id bigint, version int, type text not null, recorded_at timestamptz not null default now(), actor text not null, rupa_id text not null,
    previous_rupa_id text, event text not null, currency text not null, occurred_at timestamptz not null, personal bytea not null,
    primary key (contribution_id, version));
  create table usage(partner_id int primary key, contributions bigint not null default 0) with (fillfactor=50);
  create table outbox(id bigint generated always as identity primary key, type text not null, contribution_id bigint not null, version int not null);

  create type recorded as (id bigint, created boolean);
  -- Returns null for an unknown farmer. A report that repeats another one writes nothing.
  create function report(p int, reference bytea, farmer_id text, activity text, money text, at timestamptz, secret bytea, digest bytea, who text)
  returns recorded language plpgsql as $f$
  declare c record; result recorded; before text;
  begin
    if not exists (select from farmer where rupa_id = farmer_id) then return null; end if;
    insert into contribution (partner_id, reference_hash, rupa_id, event, currency, occurred_at, personal, content_hash)
    values (p, reference, farmer_id, activity, money, at, secret, digest)
    on conflict (partner_id, reference_hash) do nothing returning id, version into c;
    if found then
      result := (c.id, true);
      update usage set contributions = contributions + 1 where partner_id = p;
    else
      select id, version, rupa_id, content_hash into c from contribution where partner_id = p and reference_hash = reference for update;
      result := (c.id, false);
      if c.content_hash = digest then return result; end if;
      before := c.rupa_id;
      update contribution set rupa_id = farmer_id, event = activity, currency = money, occurred_at = at, personal = secret, content_hash = digest,
        version = version + 1, updated_at = now() where id = c.id returning id, version into c;
    end if;
    insert into history values (c.id, c.version, case when result.created then 'ContributionRecorded' else 'ContributionUpdated' end, now(), who,
      farmer_id, before, activity, money, at, secret);
    insert into outbox (type, contribution_id, version) values ('contribution', c.id, c.version);
    return result;
  end $f$;
`);
const masterKey = createSecretKey(randomBytes(32)),
  hashKey = createSecretKey(randomBytes(32));

// Random bytes are drawn in blocks, because a draw takes longer than an encryption.
let ivs = Buffer.alloc(0);
function encrypt(key, bytes, binding) {
  if (ivs.length === 0) ivs = randomBytes(12 * 1024);
  const iv = ivs.subarray(0, 12);
  ivs = ivs.subarray(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(binding));
  const encrypted = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), encrypted]);
}
function decrypt(key, encrypted, binding) {
  const decipher = createDecipheriv('aes-256-gcm', key, encrypted.subarray(0, 12)).setAAD(Buffer.from(binding));
  decipher.setAuthTag(encrypted.subarray(12, 28));
  return Buffer.concat([decipher.update(encrypted.subarray(28)), decipher.final()]);
}
for (let i = 0; i < farmers; i += 500) {
  const ids = Array.from({ length: Math.min(500, farmers - i) }, (_, k) => `rp-${i + k}`);
  await pool.query('insert into farmer select * from unnest($1::text[])', [ids]);
  const keys = ids.map((id) => encrypt(masterKey, randomBytes(32), id));
  await pool.query('insert into data_key select * from unnest($1::text[], $2::bytea[])', [ids, keys]);
}
await pool.query('insert into usage select id from partner');

const dataKeys = new LRUCache({ max: 50_000 });
/** Returns undefined for an unknown farmer. */
async function dataKeyOf(rupaId) {
  let key = dataKeys.get(rupaId);
  if (key) return key;
  const { rows } = await pool.query({ name: 'data_key', text: 'select wrapped from data_key where rupa_id=$1', values: [rupaId] });
  if (!rows[0]) return undefined;
  key = createSecretKey(decrypt(masterKey, rows[0].wrapped, rupaId));
  dataKeys.set(rupaId, key);
  return key;
}

// Messages are handed to the sender of webhooks and deleted together, ten times a second.
let timer;
async function relay() {
  await pool.query({ name: 'relay', text: 'delete from outbox where id in (select id from outbox order by id limit 5000) returning *' });
  timer = setTimeout(relay, 100);
}
timer = setTimeout(relay, 100);

await serve(
  async (partner, rupaId, { event, amount, currency = 'NGN', partner_reference = null, occurred_at, payload = null }) => {
    const key = await dataKeyOf(rupaId);
    if (!key) return undefined;
    const at = occurred_at ?? new Date().toISOString();
    const personal = JSON.stringify({ amount_kobo: amount === undefined ? null : Math.round(amount * 100), partner_reference, payload });
    const values = [
      partner.id,
      partner_reference === null ? null : createHmac('sha256', hashKey).update(partner_reference).digest(),
      rupaId,
      event,
      currency,
      at,
      encrypt(key, Buffer.from(personal), rupaId),
      createHmac('sha256', hashKey)
        .update(JSON.stringify([rupaId, event, currency, at, personal]))
        .digest(),
      `partner:${partner.id}`,
    ];
    const { rows } = await pool.query({ name: 'report', text: 'select * from report($1, $2, $3, $4, $5, $6, $7, $8, $9)', values });
    return rows[0].id === null ? undefined : rows[0];
  },
  () => clearTimeout(timer),
);
