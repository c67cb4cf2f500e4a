import { sql } from 'kysely';
import { type Pool } from 'pg';
import { columnsOf, rowsOf, statementsOn } from '../../src/platform/database/typed-sql.js';
import { setAsideIn } from '../../src/platform/unusable-events/unusable-table.js';
import { type PartnerRow } from '../partner/partner.projection.js';
import { type ApiKeyRow } from './api-key.projection.js';

/** Columns of the operational tables of keys (src/stores/migrations.ts). */
interface KeyTables {
  readonly 'ops.api_key_use': { readonly key_id: string; readonly last_used_at: string };
  readonly 'ops.deactivated_key': { readonly key_id: string; readonly deactivated_at: string };
}

const tables = statementsOn<KeyTables & { 'read.api_key': ApiKeyRow }>();
const [d, k] = [columnsOf<KeyTables['ops.deactivated_key']>('d'), columnsOf<ApiKeyRow>('k')];
const p = columnsOf<PartnerRow>('p');

type Partner = Omit<PartnerRow, 'registered_at'>;

/** A key, with the partner to which it is linked. */
export type KeyHolder = { readonly key_id: string; readonly deactivated: boolean; readonly set_aside: string | null } & (
  Partner | { readonly [Column in keyof Partner]: null }
);

const HOLDER = `select ${setAsideIn(`'apikey-' || ${k.key_id}`, `'partner-' || ${p.partner_id}`)} as set_aside, ${k.key_id}, ${k.deactivated} or ${d.key_id} is not null as deactivated,
    ${p.partner_id}, ${p.company_name}, ${p.account_type}, ${p.mode}, ${p.status}, ${p.optional_sections}, ${p.ip_allow_list}
  from read.api_key k
  left join ops.deactivated_key d on ${d.key_id} = ${k.key_id}
  left join read.partner p on ${p.partner_id} = ${k.partner_id}
  where ${k.key_hash} = $1`;

/** Returns the holder of a key, by the key's SHA-256 in hex. */
export async function holderOf(pool: Pool, keyHash: string): Promise<KeyHolder | undefined> {
  return (await pool.query<KeyHolder>({ name: 'api-key-holder', text: HOLDER, values: [keyHash] })).rows[0];
}

export interface ApiKeyFilter {
  readonly partnerId?: string | undefined;
  /** True: only keys that are linked to a partner; false: only the others. */
  readonly linked?: boolean | undefined;
}

/** Returns a page of API keys, the one issued last first, with the hour of the last use. */
export async function keysBefore(
  pool: Pool,
  { partnerId, linked }: ApiKeyFilter,
  before: readonly [createdAt: string, keyId: string] | undefined,
  limit: number,
) {
  return await rowsOf(
    pool,
    tables
      .selectFrom('read.api_key as k')
      .leftJoin('ops.api_key_use as u', 'u.key_id', 'k.key_id')
      .leftJoin('ops.deactivated_key as d', 'd.key_id', 'k.key_id')
      .select(['k.key_id', 'k.partner_id', 'k.label', 'k.created_at', 'u.last_used_at'])
      .select(({ fn }) => fn.coalesce('k.deactivated_at', 'd.deactivated_at').as('deactivated_at'))
      .$if(partnerId !== undefined, (keys) => keys.where('k.partner_id', '=', partnerId ?? ''))
      .$if(linked !== undefined, (keys) => keys.where('k.partner_id', linked === true ? 'is not' : 'is', null))
      .$if(before !== undefined, (keys) =>
        keys.where(sql<boolean>`(k.created_at, k.key_id) < (${before?.[0]}::timestamptz, ${before?.[1]})`),
      )
      .orderBy('k.created_at', 'desc')
      .orderBy('k.key_id', 'desc')
      .limit(limit),
  );
}
