import { hash } from 'node:crypto';
import { type Pool } from 'pg';

/** A row of ops.stored_response: an Idempotency-Key, the lease of the request with it, and the response once there is one. */
export interface StoredResponseRow {
  readonly partner_id: string;
  readonly key_hash: string;
  readonly request_hash: string;
  /** Id of the lookup or, for another call, of the operation. */
  readonly lookup_id: string;
  /** The farmer whose data key encrypts the response; empty for a response about no farmer. */
  readonly rupa_id: string;
  readonly holder: string;
  readonly leased_until: string;
  readonly begun_at: string;
  /** Ciphertext; null until the response is stored. */
  readonly response: string | null;
}

type Key = Pick<StoredResponseRow, 'partner_id' | 'key_hash'>;
export type Held = Key & Pick<StoredResponseRow, 'holder'>;
/** A row to insert. */
export type NewRow = Omit<StoredResponseRow, 'leased_until' | 'begun_at' | 'response'>;
export type BegunRow = Pick<StoredResponseRow, 'request_hash' | 'lookup_id' | 'rupa_id' | 'holder' | 'response'>;

const OWN = 'partner_id = $1 and key_hash = $2 and holder = $3';

/**
 * Inserts the key's row, or takes it over if its lease or its retention has expired, or else returns it unchanged. The lookup_id of an
 * expired lease is kept, so that the new holder can refund the abandoned charge. A lease that is too long is measured from
 * clock_timestamp(), because now() is when this statement began: a lease that was taken while it waited ends later than that allows.
 */
const BEGIN = `with begun as (
    insert into ops.stored_response as k (partner_id, key_hash, request_hash, lookup_id, rupa_id, holder, leased_until)
    values ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7))
    on conflict (partner_id, key_hash) do update set
      holder = excluded.holder,
      leased_until = excluded.leased_until,
      lookup_id = case when k.response is null then k.lookup_id else excluded.lookup_id end,
      request_hash = excluded.request_hash, rupa_id = excluded.rupa_id, begun_at = now(), response = null
    where k.begun_at < now() - make_interval(hours => $8)
       or (k.response is null and k.leased_until < now() and k.request_hash = excluded.request_hash)
       or (k.response is null and k.leased_until > clock_timestamp() + make_interval(secs => $7) and k.request_hash = excluded.request_hash)
    returning request_hash, lookup_id, rupa_id, holder, response)
  select * from begun
  union all
  select request_hash, lookup_id, rupa_id, holder, response from ops.stored_response
  where partner_id = $1 and key_hash = $2 and not exists (select from begun)`;

/** Returns the key's row; undefined if another request inserts it at the same time, because the statement's snapshot does not contain it. */
export async function beginRow(
  pool: Pool,
  { partner_id, key_hash, request_hash, lookup_id, rupa_id, holder }: NewRow,
  { leaseSeconds, retentionHours }: { readonly leaseSeconds: number; readonly retentionHours: number },
): Promise<BegunRow | undefined> {
  const values = [partner_id, key_hash, request_hash, lookup_id, rupa_id, holder, leaseSeconds, retentionHours];
  return (await pool.query<BegunRow>(BEGIN, values)).rows[0];
}

/** Replaces the lookup's id. Returns false if the lease is not held. */
export async function replaceLookup(pool: Pool, { partner_id, key_hash, holder }: Held, lookupId: string): Promise<boolean> {
  const text = `update ops.stored_response set lookup_id = $4 where ${OWN} and response is null`;
  return (await pool.query(text, [partner_id, key_hash, holder, lookupId])).rowCount === 1;
}

/** Stores the response. Returns false if the lease is not held, or has ended, or is longer than a lease can be. */
export async function storeResponse(
  pool: Pool,
  { partner_id, key_hash, holder }: Held,
  response: string | undefined,
  leaseSeconds: number,
): Promise<boolean> {
  const text = `update ops.stored_response set response = $4, leased_until = now() where ${OWN} and response is null
    and leased_until > now() and leased_until <= now() + make_interval(secs => $5)`;
  return (await pool.query(text, [partner_id, key_hash, holder, response, leaseSeconds])).rowCount === 1;
}

/** Deletes the row if it has no response. Returns whether it did. */
export async function deleteWithoutResponse(pool: Pool, { partner_id, key_hash, holder }: Held): Promise<boolean> {
  const text = `delete from ops.stored_response where ${OWN} and response is null`;
  return (await pool.query(text, [partner_id, key_hash, holder])).rowCount === 1;
}

/** Returns whether the holder's response is stored. */
export async function isStored(pool: Pool, { partner_id, key_hash, holder }: Held): Promise<boolean> {
  const text = `select 1 from ops.stored_response where ${OWN} and response is not null`;
  return (await pool.query(text, [partner_id, key_hash, holder])).rows.length === 1;
}

/** Returns the id of the operation that a request with the key began; undefined if none is known. */
export async function operationOf(pool: Pool, { partner_id, key_hash }: Key): Promise<string | undefined> {
  const text = 'select lookup_id from ops.stored_response where partner_id = $1 and key_hash = $2';
  return (await pool.query<Pick<StoredResponseRow, 'lookup_id'>>(text, [partner_id, key_hash])).rows[0]?.lookup_id;
}

/** Returns the form in which the table has an Idempotency-Key. */
export function keyHashOf(idempotencyKey: string): string {
  return hash('sha256', idempotencyKey);
}

/** Ends the lease of a lookup without a response. */
export async function endLease(pool: Pool, { partner_id, key_hash, holder }: Held, lookupId: string): Promise<void> {
  const text = `update ops.stored_response set leased_until = now(), lookup_id = $4 where ${OWN} and response is null`;
  await pool.query(text, [partner_id, key_hash, holder, lookupId]);
}

/**
 * Ends every lease on these lookups that is not valid any more. From then on its holder cannot store a response, not even if the database's
 * clock steps back. A lease that is too long is measured from clock_timestamp(), because one may be taken after this statement's now().
 */
export async function endInvalidLeases(pool: Pool, lookupIds: readonly string[], leaseSeconds: number): Promise<void> {
  await pool.query(
    `update ops.stored_response set holder = gen_random_uuid(), leased_until = now()
     where (lookup_id = any($1) and response is null and leased_until < now())
        or (lookup_id = any($1) and response is null and leased_until > clock_timestamp() + make_interval(secs => ${leaseSeconds}))`,
    [lookupIds],
  );
}

/** Inserts a row that has its response from the beginning. */
export async function insertResponse(pool: Pool, { partner_id, key_hash }: Key, response: string): Promise<void> {
  const text = `insert into ops.stored_response (partner_id, key_hash, request_hash, lookup_id, rupa_id, holder, leased_until, response)
    values ($1, $2, '', '', '', gen_random_uuid(), now(), $3)`;
  await pool.query(text, [partner_id, key_hash, response]);
}

/** Returns the response of a row that is at most so old; undefined if there is none. */
export async function responseOf(pool: Pool, { partner_id, key_hash }: Key, seconds: number): Promise<string | undefined> {
  const text = `select response from ops.stored_response
    where partner_id = $1 and key_hash = $2 and begun_at > now() - make_interval(secs => $3)`;
  return (await pool.query<Pick<StoredResponseRow, 'response'>>(text, [partner_id, key_hash, seconds])).rows[0]?.response ?? undefined;
}

export async function deleteResponse(pool: Pool, { partner_id, key_hash }: Key): Promise<void> {
  await pool.query('delete from ops.stored_response where partner_id = $1 and key_hash = $2', [partner_id, key_hash]);
}

/** Deletes all responses about farmers. */
export async function deleteResponsesAbout(pool: Pool, rupaIds: readonly string[]): Promise<void> {
  await pool.query('delete from ops.stored_response where rupa_id = any($1)', [rupaIds]);
}

export const STORED_RESPONSES = 'ops.stored_response';

/** Returns which rows are deleted: a key is kept for some hours from its first request on. */
export const oldResponses = (retentionHours: number) => ({
  table: STORED_RESPONSES,
  column: 'begun_at',
  seconds: retentionHours * 3_600,
});

/** A row of ops.stored_response that is a piece of another one's response: what the response says about one farmer (docs/adr/0066). */
export type NewPiece = Pick<StoredResponseRow, 'key_hash' | 'lookup_id' | 'rupa_id'>;
export type StoredPiece = NewPiece & { readonly response: string };

/** Returns the name of the row of a piece. @param index number of the farmer in the request */
export function pieceOf(keyHash: string, index: number): string {
  return `${keyHash}.${index}`;
}

const BEGIN_PIECES = `insert into ops.stored_response as k (partner_id, key_hash, request_hash, lookup_id, rupa_id, holder, leased_until)
  select h.partner_id, p.key_hash, h.request_hash, p.lookup_id, p.rupa_id, h.holder, h.leased_until
  from ops.stored_response h, json_to_recordset($4) as p(key_hash text, lookup_id text, rupa_id text)
  where h.partner_id = $1 and h.key_hash = $2 and h.holder = $3 and h.response is null
  on conflict (partner_id, key_hash) do update set request_hash = excluded.request_hash, lookup_id = excluded.lookup_id,
    rupa_id = excluded.rupa_id, holder = excluded.holder, leased_until = excluded.leased_until, begun_at = now(), response = null`;

/** Inserts the pieces' rows with the lease of the response's row, in place of those of an earlier holder. Returns false if the lease is not held. */
export async function beginPieces(pool: Pool, { partner_id, key_hash, holder }: Held, pieces: readonly NewPiece[]): Promise<boolean> {
  return (await pool.query(BEGIN_PIECES, [partner_id, key_hash, holder, JSON.stringify(pieces)])).rowCount === pieces.length;
}

const STORE_PIECES = `with head as (
    update ops.stored_response set response = $4, leased_until = now() where ${OWN} and response is null
    and leased_until > now() and leased_until <= now() + make_interval(secs => $5) returning 1),
  piece as (
    update ops.stored_response k set response = p.response, leased_until = now()
    from json_to_recordset($6) as p(key_hash text, response text)
    where k.partner_id = $1 and k.key_hash = p.key_hash and k.holder = $3 and k.response is null and exists (select from head)
    returning k.key_hash)
  select exists (select from head) as held, array(select key_hash from piece) as stored`;

/**
 * Stores a response with its pieces, in one statement. Returns the names of the pieces that were stored: a piece is not if its farmer was erased
 * or its lease was ended meanwhile. Returns undefined, and stores nothing, if the lease is not held.
 */
export async function storePieces(
  pool: Pool,
  { partner_id, key_hash, holder }: Held,
  response: string,
  pieces: readonly Pick<StoredPiece, 'key_hash' | 'response'>[],
  leaseSeconds: number,
): Promise<readonly string[] | undefined> {
  const values = [partner_id, key_hash, holder, response, leaseSeconds, JSON.stringify(pieces)];
  const { rows } = await pool.query<{ readonly held: boolean; readonly stored: readonly string[] }>(STORE_PIECES, values);
  return rows[0]?.held === true ? rows[0].stored : undefined;
}

/** Replaces the response that the holder has stored. */
export async function replaceResponse(pool: Pool, { partner_id, key_hash, holder }: Held, response: string): Promise<void> {
  await pool.query(`update ops.stored_response set response = $4 where ${OWN} and response is not null`, [
    partner_id,
    key_hash,
    holder,
    response,
  ]);
}

const WITHDRAW_PIECES = `with head as (delete from ops.stored_response where ${OWN} and response is null returning 1)
  delete from ops.stored_response where partner_id = $1 and key_hash = any($4) and holder = $3 and response is null and exists (select from head)`;

/** Deletes the row of a response, if it has none, and those of its pieces. */
export async function withdrawPieces(pool: Pool, { partner_id, key_hash, holder }: Held, pieces: readonly string[]): Promise<void> {
  await pool.query(WITHDRAW_PIECES, [partner_id, key_hash, holder, pieces]);
}

/** Returns the stored pieces of a response. Those of farmers who were erased are gone. */
export async function storedPieces(pool: Pool, partnerId: string, pieces: readonly string[]): Promise<readonly StoredPiece[]> {
  const text =
    'select key_hash, lookup_id, rupa_id, response from ops.stored_response where partner_id = $1 and key_hash = any($2) and response is not null';
  return (await pool.query<StoredPiece>(text, [partnerId, pieces])).rows;
}
