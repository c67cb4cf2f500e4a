import { type PoolClient } from 'pg';
import { columnsOf, rowsOf, textStatement } from '../../src/platform/database/typed-sql.js';
import { type WalletEntryRow } from './wallet-entry.projection.js';

const [d, e] = [columnsOf<WalletEntryRow>('d'), columnsOf<WalletEntryRow>('e')];
const IS_DEBIT = `${d.type} = '${'WalletDebited' satisfies WalletEntryRow['type']}'`;
const REFUND: WalletEntryRow['type'] = 'RefundIssued';

/** Debits of a partner for lookups of the farmer f. The index of debits by farmer and partner finds them. */
const OF_FARMER = `hashtext(${d.rupa_id}) = hashtext(f.rupa_id) and ${d.rupa_id} = f.rupa_id and ${IS_DEBIT}`;

/** A lookup that was refunded has shown nothing, and its consent has ended with it. */
const HOLDERS = `select f.rupa_id, p.partner_id from unnest($1::text[]) f(rupa_id)
  cross join lateral (select distinct ${d.partner_id} from read.wallet_entry d where ${OF_FARMER}) p
  where exists (
    select from read.wallet_entry d
    where ${OF_FARMER} and hashtext(${d.partner_id}) = hashtext(p.partner_id) and ${d.partner_id} = p.partner_id
      and not exists (select from read.wallet_entry e where ${e.lookup_id} = ${d.lookup_id} and ${e.type} = '${REFUND}'))
  order by f.rupa_id, p.partner_id`;

/** Returns the partners that hold or held a consent of each farmer, released ones included: those that a lookup has shown the farmer to. */
export async function consentHolders(
  client: PoolClient,
  rupaIds: readonly string[],
): Promise<{ readonly rupa_id: string; readonly partner_id: string }[]> {
  if (rupaIds.length === 0) return [];
  return await rowsOf(client, textStatement<{ readonly rupa_id: string; readonly partner_id: string }>(HOLDERS, [rupaIds]));
}
