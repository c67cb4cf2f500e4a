import { type Pool } from 'pg';
import { type Snapshot } from '../../src/platform/database/held-rows.js';
import { rowsOf, statementsOn } from '../../src/platform/database/typed-sql.js';
import { type RowMacs } from '../../src/platform/projecting/row-macs.js';
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
