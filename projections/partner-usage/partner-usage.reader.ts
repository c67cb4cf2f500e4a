import { type Pool } from 'pg';
import { rowsOf, statementsOn } from '../../src/platform/database/typed-sql.js';
import { type PartnerUsageRow } from './partner-usage.projection.js';

const tables = statementsOn<{ 'read.partner_usage': PartnerUsageRow }>();

/** Returns how many lookups a partner was billed for, and how many contributions it made. */
export async function usageOf(pool: Pool, partnerId: string): Promise<Pick<PartnerUsageRow, 'lookups' | 'contributions'>> {
  const [usage] = await rowsOf(
    pool,
    tables.selectFrom('read.partner_usage').select(['lookups', 'contributions']).where('partner_id', '=', partnerId),
  );
  return usage ?? { lookups: 0, contributions: 0 };
}
