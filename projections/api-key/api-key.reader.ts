import { defineEntity, type EntitySchema } from '@mikro-orm/core';
import { type Pool } from 'pg';
import { columnsOf, rowsOf, textStatement } from '../../src/platform/database/typed-sql.js';
import { setAsideIn } from '../../src/platform/unusable-events/unusable-table.js';
import { type CheckedTable } from '../../src/platform/projecting/read-table.js';
import { RowForged, type RowMacs } from '../../src/platform/projecting/row-macs.js';
import { column } from '../columns.js';
import { partnerProjection, type PartnerRow } from '../partner/partner.projection.js';
import { apiKeyProjection, type ApiKeyRow, IS_LINKED } from './api-key.projection.js';

/** Columns of the operational tables of keys (src/stores/migrations.ts). */
interface KeyTables {
  readonly 'ops.api_key_use': { readonly key_id: string; readonly last_used_at: string };
  readonly 'ops.deactivated_key': { readonly key_id: string; readonly deactivated_at: string; readonly mac: string };
  readonly 'ops.api_key_end': { readonly key_id: string; readonly expires_at: string; readonly set_at: string; readonly mac: string };
}

/** A key whose deactivation is recorded in the log. */
export type DeactivatedKeyRow = KeyTables['ops.deactivated_key'];
/** When a key ends that its partner has replaced. `set_at` is when that was recorded. */
export type KeyEndRow = KeyTables['ops.api_key_end'];

export const deactivatedKeyTable: EntitySchema = defineEntity({
  name: 'deactivated_key',
  tableName: 'deactivated_key',
  schema: 'ops',
  properties: { key_id: column.text().primary(), deactivated_at: column.time(), mac: column.text() },
});

export const keyEndTable: EntitySchema = defineEntity({
  name: 'api_key_end',
  tableName: 'api_key_end',
  schema: 'ops',
  properties: { key_id: column.text().primary(), expires_at: column.time(), set_at: column.time(), mac: column.text() },
});

/**
 * The tables by which a key is refused before the read model shows why, which src/contexts/partners/keys/key-ends.ts writes. Their rows have
 * MACs, or anybody who can add one could end a key.
 */
export const KEY_END_TABLES: readonly CheckedTable[] = [
  { name: 'deactivated_key', table: deactivatedKeyTable, authenticated: true },
  { name: 'api_key_end', table: keyEndTable, authenticated: true },
];

const e = columnsOf<KeyEndRow>('e');
const [d, k] = [columnsOf<DeactivatedKeyRow>('d'), columnsOf<ApiKeyRow>('k')];
const [p, u] = [columnsOf<PartnerRow>('p'), columnsOf<KeyTables['ops.api_key_use']>('u')];

/** The operational rows by which a key is refused before the read model shows why; null where there is none. */
interface Refusals {
  readonly deactivation: DeactivatedKeyRow | null;
  readonly ending: KeyEndRow | null;
}

const REFUSALS = 'row_to_json(d) as deactivation, row_to_json(e) as ending';

/** Returns what was read, without the rows that refuse a key. @throws RowForged if this service did not write one of them */
function withoutRefusals<R extends Refusals>(macs: RowMacs, { deactivation, ending, ...rest }: R): Omit<R, keyof Refusals> {
  if (deactivation) macs.genuine(deactivatedKeyTable, deactivation);
  if (ending) macs.genuine(keyEndTable, ending);
  return rest;
}

/** A key, with the partner to which it is linked. */
export interface KeyHolder {
  readonly key: ApiKeyRow;
  readonly partner: PartnerRow | null;
  /** Whether the key was deactivated, perhaps before the read model shows it. */
  readonly deactivated: boolean;
  /** When the key ends, perhaps before the read model shows it; null if it does not. */
  readonly expires_at: string | null;
  /** Whether the key's end was set to the time at which it was set, so that it has ended whatever a clock says. */
  readonly ended_at_once: boolean;
  readonly set_aside: string | null;
}

/** The earlier end counts: neither table can put off the other's. */
const EXPIRES_AT = `least(${k.expires_at}, ${e.expires_at})`;

const HOLDER = `select ${setAsideIn(`'apikey-' || ${k.key_id}`, `'partner-' || ${p.partner_id}`)} as set_aside, ${k.deactivated} or ${d.key_id} is not null as deactivated,
    ${EXPIRES_AT} as expires_at, coalesce(${e.expires_at} <= ${e.set_at}, false) as ended_at_once,
    row_to_json(k) as key, row_to_json(p) as partner, ${REFUSALS}
  from read.api_key k
  left join ops.deactivated_key d on ${d.key_id} = ${k.key_id}
  left join ops.api_key_end e on ${e.key_id} = ${k.key_id}
  left join read.partner p on ${p.partner_id} = ${k.partner_id}
  where ${k.key_hash} = $1`;

/** Returns the holder of a key, by the key's SHA-256 in hex. @throws RowForged */
export async function holderOf(pool: Pool, macs: RowMacs, keyHash: string): Promise<KeyHolder | undefined> {
  const [found] = (await pool.query<KeyHolder & Refusals>({ name: 'api-key-holder', text: HOLDER, values: [keyHash] })).rows;
  if (!found) return undefined;
  const holder = withoutRefusals(macs, found);
  macs.genuine(apiKeyProjection.table, holder.key);
  if (holder.partner) macs.genuine(partnerProjection.table, holder.partner);
  else if (holder.key.partner_id !== null) throw new RowForged(partnerProjection.name);
  return holder;
}

export interface ApiKeyFilter {
  readonly partnerId?: string | undefined;
  /** True: only keys that are linked to a partner; false: only the others. It does not apply to the keys of one partner. */
  readonly linked?: boolean | undefined;
}

export interface ListedKey extends Pick<
  ApiKeyRow,
  'key_id' | 'partner_id' | 'label' | 'last_four' | 'created_at' | 'expires_at' | 'deactivated_at'
> {
  readonly last_used_at: string | null;
}

/** Selects a page of the keys with a value in a column. Only one index has that column, then the time and the id. */
function listed(column: string | undefined): string {
  const [leading, value, order] = column === undefined ? ['', '', ''] : [`${column}, `, '$4, ', `${column} desc, `];
  const bound = column === undefined ? '' : `and ${column} >= $4`;
  return `select ${k.key_id}, ${k.partner_id}, ${k.label}, ${k.last_four}, ${k.created_at}, ${u.last_used_at},
      ${EXPIRES_AT} as expires_at, coalesce(${k.deactivated_at}, ${d.deactivated_at}) as deactivated_at, ${REFUSALS}
    from (
      select * from read.api_key where (${leading}created_at, key_id) < (${value}$1::timestamptz, $2) ${bound}
      order by ${order}created_at desc, key_id desc limit $3) k
    left join ops.api_key_use u on ${u.key_id} = ${k.key_id} left join ops.deactivated_key d on ${d.key_id} = ${k.key_id}
    left join ops.api_key_end e on ${e.key_id} = ${k.key_id}
    order by ${k.created_at} desc, ${k.key_id} desc`;
}
const [ALL, OF_PARTNER, LINKED] = [listed(undefined), listed('partner_id'), listed(IS_LINKED)];

/** Returns a page of API keys, the one issued last first, with the hour of the last use. @throws RowForged */
export async function keysBefore(
  pool: Pool,
  macs: RowMacs,
  { partnerId, linked }: ApiKeyFilter,
  [createdAt, keyId]: readonly [createdAt: string, keyId: string] | readonly [] = [],
  limit: number,
): Promise<ListedKey[]> {
  const values = [createdAt ?? 'infinity', keyId ?? '', limit];
  const page = async (text: string, ...bound: unknown[]): Promise<ListedKey[]> =>
    (await rowsOf(pool, textStatement<ListedKey & Refusals>(text, [...values, ...bound]))).map((key) => withoutRefusals(macs, key));
  if (partnerId !== undefined) return await page(OF_PARTNER, partnerId);
  if (linked !== undefined) return await page(LINKED, Number(linked));
  return await page(ALL);
}

export interface WorkingKey extends Pick<
  ApiKeyRow,
  'key_id' | 'label' | 'prefix' | 'last_four' | 'created_at' | 'rotated_from' | 'expires_at'
> {
  readonly last_used_at: string | null;
}

const WORKING = `select ${k.key_id}, ${k.label}, ${k.prefix}, ${k.last_four}, ${k.created_at}, ${k.rotated_from}, ${u.last_used_at}, ${EXPIRES_AT} as expires_at, ${REFUSALS},
    ${d.key_id} is null and coalesce(${e.expires_at}, 'infinity') > $2 and coalesce(${e.expires_at} > ${e.set_at}, true) as works
  from read.api_key k
  left join ops.api_key_use u on ${u.key_id} = ${k.key_id} left join ops.deactivated_key d on ${d.key_id} = ${k.key_id}
  left join ops.api_key_end e on ${e.key_id} = ${k.key_id}
  where ${k.partner_id} = $1 and not ${k.deactivated} and coalesce(${k.expires_at}, 'infinity') > $2
  order by ${k.created_at} desc, ${k.key_id} desc limit $3`;

/**
 * Returns a partner's keys that work at a time (ISO 8601, UTC), the one issued last first: all of them unless there is a limit. The limit
 * counts keys, too, that operational rows refuse and the read model does not yet, because each of these rows is checked.
 * @throws RowForged
 */
export async function workingKeys(
  pool: Pool,
  macs: RowMacs,
  partnerId: string,
  at: string,
  limit: number | null = null,
): Promise<WorkingKey[]> {
  const found = await rowsOf(pool, textStatement<WorkingKey & Refusals & { works: boolean }>(WORKING, [partnerId, at, limit]));
  return found.map((key) => withoutRefusals(macs, key)).filter(({ works }) => works);
}
