import { hashOfManual } from '../../../src/contexts/wallet/domain/crediting/manual-entries.js';
import { type SearchedEntries } from '../../../src/contexts/wallet/domain/wallet-command.js';

/** The search of a new wallet. */
export const NOTHING_SEARCHED: SearchedEntries = { checked_to_revision: -1n, manual_entries_hash: hashOfManual([]) };

/** The search of a wallet up to a revision, whose manual entries the writer's state has folded. */
export function searchedTo(checked_to_revision: bigint): SearchedEntries {
  return { ...NOTHING_SEARCHED, checked_to_revision };
}

/** The search of all that a wallet has. */
export const ALL_SEARCHED = searchedTo(BigInt(Number.MAX_SAFE_INTEGER));
