import { type Pool } from 'pg';
import { rowsOf, statementsOn } from '../../src/platform/database/typed-sql.js';
import { type RowMacs } from '../../src/platform/projecting/row-macs.js';
import { partnerProjection, type PartnerRow } from './partner.projection.js';

const tables = statementsOn<{ 'read.partner': PartnerRow }>();

export type RegisteredPartner = Pick<PartnerRow, 'partner_id' | 'company_name' | 'account_type' | 'mode' | 'registered_at'>;

/** Returns a partner; undefined if the read model shows none with the id. @throws RowForged */
export async function partnerById(pool: Pool, macs: RowMacs, partnerId: string): Promise<RegisteredPartner | undefined> {
  const [partner] = await rowsOf(pool, tables.selectFrom('read.partner').selectAll().where('partner_id', '=', partnerId));
  return partner && macs.genuine(partnerProjection.table, partner);
}
