import { type Pool } from 'pg';
import { grantedRevision } from '../../../../projections/consent-roster/consent-roster.reader.js';
import { erasurePositionOf } from '../../../../projections/erased-farmer/erased-farmer.reader.js';
import { type RowMacs } from '../../../platform/projecting/row-macs.js';

/**
 * The deliveries about a farmer that a partner may see: all; those that it has `received`, as the response of its endpoint shows, with the
 * tests that it asked for itself; or that of the `erasure` alone.
 */
export type Disclosure = 'all' | 'received' | 'erasure';

/**
 * Returns what a partner may see of its deliveries about a farmer: all while it holds a consent, and of an erased farmer that of the erasure.
 * @throws RowForged
 */
export async function disclosureOf(pool: Pool, macs: RowMacs, partnerId: string, rupaId: string): Promise<Disclosure> {
  if ((await erasurePositionOf(pool, rupaId)) !== undefined) return 'erasure';
  return (await grantedRevision(pool, macs, partnerId, rupaId)) === undefined ? 'received' : 'all';
}
