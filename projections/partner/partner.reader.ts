import { type Pool } from 'pg';
import { rowsOf, statementsOn, columnsOf, listOf, textStatement } from '../../src/platform/database/typed-sql.js';
import { type RowMacs } from '../../src/platform/projecting/row-macs.js';
import { partnerProjection, type PartnerRow } from './partner.projection.js';
import { type Snapshot } from '../../src/platform/database/held-rows.js';
import { type CustomerRow } from '../customer/customer.projection.js';
import { type PartnerUsageRow } from '../partner-usage/partner-usage.projection.js';
import { type WalletEntryRow } from '../wallet-entry/wallet-entry.projection.js';

const tables = statementsOn<{ 'read.partner': PartnerRow }>();

export type RegisteredPartner = Pick<PartnerRow, 'partner_id' | 'company_name' | 'account_type' | 'mode' | 'registered_at'>;

/** Returns a partner; undefined if the read model shows none with the id. @throws RowForged */
export async function partnerById(pool: Pool, macs: RowMacs, partnerId: string): Promise<RegisteredPartner | undefined> {
  const [partner] = await rowsOf(pool, tables.selectFrom('read.partner').selectAll().where('partner_id', '=', partnerId));
  return partner && macs.genuine(partnerProjection.table, partner);
}

const p = columnsOf<PartnerRow>('p');
const [e, w] = [columnsOf<WalletEntryRow>('e'), columnsOf<WalletEntryRow>('w')];
const [u, c] = [columnsOf<PartnerUsageRow>('u'), columnsOf<CustomerRow>('c')];

/** A partner, with what it is as a customer, and what its wallet and its usage show. */
export interface PartnerFigures
  extends PartnerRow, Pick<CustomerRow, 'customer_number' | 'legal'>, Pick<PartnerUsageRow, 'lookups' | 'contributions'> {
  readonly balance_kobo: number;
}

const COLUMNS = `${p.registered_at}, ${p.partner_id}, ${p.company_name}, ${p.account_type}, ${p.mode}, ${p.status}, ${p.optional_sections}, ${p.ip_allow_list},
  ${c.customer_number}, ${c.legal},
  coalesce(${w.balance_after_kobo}, 0) as balance_kobo, coalesce(${u.lookups}, 0) as lookups, coalesce(${u.contributions}, 0) as contributions`;

const LAST_BALANCE = `select ${e.balance_after_kobo} from read.wallet_entry e where ${e.partner_id} = ${p.partner_id} order by ${e.revision} desc limit 1`;
const BALANCE = `left join lateral (${LAST_BALANCE}) w on true`;
const JOINED = `left join read.customer c on ${c.partner_id} = ${p.partner_id} left join read.partner_usage u on ${u.partner_id} = ${p.partner_id}`;

const PARTNERS = `select ${COLUMNS} from read.partner p ${JOINED} ${BALANCE}`;

/** Compares names without regard to case. A search for `100%` finds a name with that text, because it is no pattern. */
const MATCHES = `($1::text is null or strpos(lower(${p.company_name}), lower($1)) > 0) and ($2::text is null or ${p.mode} = $2)
  and ($3::text is null or ${p.status} = $3)`;

/** Chooses the partners of the page first, so that the balances of the others are not read. */
const NEWEST = `select ${COLUMNS} from (
    select * from read.partner p where ${MATCHES} and ($5::timestamptz is null or (${p.registered_at}, ${p.partner_id}) < ($5, $6))
    order by ${p.registered_at} desc, ${p.partner_id} desc limit $4
  ) p ${JOINED} ${BALANCE} order by ${p.registered_at} desc, ${p.partner_id} desc`;

/**
 * Reads the newest entry of every wallet through the primary key: about 10 µs each. A column with the balance, indexed, would be faster to
 * sort, but every lookup would have to write its index.
 */
const LOWEST = `select ${COLUMNS} from (
    select p.*, b.balance_after_kobo from read.partner p left join lateral (${LAST_BALANCE}) b on true
    where ${MATCHES} order by coalesce(b.balance_after_kobo, 0), ${p.partner_id} limit $4
  ) p left join lateral (select p.balance_after_kobo) w on true ${JOINED} order by balance_kobo, ${p.partner_id}`;

/** Returns a partner; undefined if the read model shows none with the id. */
export async function partnerFigures(pool: Pool, partnerId: string): Promise<PartnerFigures | undefined> {
  return (await rowsOf(pool, textStatement<PartnerFigures>(`${PARTNERS} where ${p.partner_id} = $1`, [partnerId])))[0];
}

/** Returns all partners in the order of their registration. */
export async function allPartners(snapshot: Snapshot): Promise<AsyncIterable<PartnerFigures>> {
  return await listOf(snapshot, textStatement<PartnerFigures>(`${PARTNERS} order by ${p.registered_at}, ${p.partner_id}`, []));
}

export interface PartnerFilter {
  /** A part of the company's name, in any case. */
  readonly search?: string | undefined;
  readonly mode?: PartnerRow['mode'] | undefined;
  readonly status?: PartnerRow['status'] | undefined;
}

const valuesOf = ({ search, mode, status }: PartnerFilter): readonly unknown[] => [search ?? null, mode ?? null, status ?? null];

/** Returns the partners that were registered before a time and id, the newest first. */
export async function partnersBefore(
  pool: Pool,
  filter: PartnerFilter,
  [registeredAt, partnerId]: readonly [registeredAt: string, partnerId: string] | readonly [],
  limit: number,
): Promise<PartnerFigures[]> {
  return await rowsOf(pool, textStatement<PartnerFigures>(NEWEST, [...valuesOf(filter), limit, registeredAt ?? null, partnerId ?? null]));
}

/** Returns the partners with the lowest balances. */
export async function partnersByBalance(pool: Pool, filter: PartnerFilter, limit: number): Promise<PartnerFigures[]> {
  return await rowsOf(pool, textStatement<PartnerFigures>(LOWEST, [...valuesOf(filter), limit]));
}
