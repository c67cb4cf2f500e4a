import { type Pool } from 'pg';
import { type Mode } from '../../src/kernel/accounts.js';
import { type Snapshot } from '../../src/platform/database/held-rows.js';
import { columnsOf, rowsOf, statementsOn, textStatement } from '../../src/platform/database/typed-sql.js';
import { type RowMacs } from '../../src/platform/projecting/row-macs.js';
import { type PartnerRow } from '../partner/partner.projection.js';
import { type WalletEntryRow } from '../wallet-entry/wallet-entry.projection.js';
import { customerProjection, type CustomerRow } from './customer.projection.js';

const tables = statementsOn<{ 'read.customer': CustomerRow }>();

export interface Customer extends Pick<CustomerRow, 'partner_id' | 'legal'> {
  readonly customer_number: number;
}

/** Returns a partner as a customer; undefined if the read model shows none with the id. @throws RowForged */
export async function customerById(client: Pool | Snapshot, macs: RowMacs, partnerId: string): Promise<Customer | undefined> {
  const [row] = await rowsOf(client, tables.selectFrom('read.customer').selectAll().where('partner_id', '=', partnerId));
  if (!row) return undefined;
  const { partner_id, customer_number, legal } = macs.genuine(customerProjection.table, row);
  return customer_number === null ? undefined : { partner_id, customer_number, legal };
}

const [c, p, e] = [columnsOf<CustomerRow>('c'), columnsOf<PartnerRow>('p'), columnsOf<WalletEntryRow>('e')];

/** The time of a wallet's first entry may be before the partner's registration, because they may come from different clocks. */
const BEGUN_BEFORE = `select ${c.partner_id}, ${c.customer_number} from read.customer c join read.partner p on ${p.partner_id} = ${c.partner_id}
  where ${p.mode} = $1 and (${p.registered_at} < $2::timestamptz or $2::timestamptz > (
    select ${e.recorded_at} from read.wallet_entry e where ${e.partner_id} = ${p.partner_id} order by ${e.revision} limit 1))
  order by ${c.customer_number}`;

/** Returns the partners of a mode that were registered, or had an entry, before a time (ISO 8601), by customer number. */
export async function customersBegunBefore(
  pool: Pool,
  mode: Mode,
  time: string,
): Promise<readonly Pick<Customer, 'partner_id' | 'customer_number'>[]> {
  return await rowsOf(pool, textStatement<Pick<Customer, 'partner_id' | 'customer_number'>>(BEGUN_BEFORE, [mode, time]));
}
