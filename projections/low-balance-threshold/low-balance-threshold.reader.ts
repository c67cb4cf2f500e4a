import { type Pool } from 'pg';
import { rowsOf, statementsOn } from '../../src/platform/database/typed-sql.js';
import { type LowBalanceThresholdRow } from './low-balance-threshold.projection.js';

const tables = statementsOn<{ 'read.low_balance_threshold': LowBalanceThresholdRow }>();

/** Returns a partner's threshold in integer kobo; null for none. */
export async function thresholdOf(pool: Pool, partnerId: string): Promise<number | null> {
  const [latest] = await rowsOf(
    pool,
    tables
      .selectFrom('read.low_balance_threshold')
      .select('threshold_kobo')
      .where('partner_id', '=', partnerId)
      .orderBy('position', 'desc')
      .limit(1),
  );
  return latest?.threshold_kobo ?? null;
}

/** Returns every threshold of every partner. */
export async function allThresholds(pool: Pool): Promise<LowBalanceThresholdRow[]> {
  return await rowsOf(pool, tables.selectFrom('read.low_balance_threshold').select(['partner_id', 'position', 'threshold_kobo']));
}
