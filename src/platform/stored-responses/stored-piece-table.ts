import { type Pool } from 'pg';
import { type Held, type StoredResponseRow } from './stored-response-table.js';

/** A row of ops.stored_response that is a piece of another one's response: what the response says about one farmer (docs/adr/0066). */
export type NewPiece = Pick<StoredResponseRow, 'key_hash' | 'lookup_id' | 'rupa_id'>;
export type StoredPiece = NewPiece & { readonly response: string };

const OWN = 'partner_id = $1 and key_hash = $2 and holder = $3';

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
