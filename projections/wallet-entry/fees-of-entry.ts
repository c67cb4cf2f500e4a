import { NUMBERED_FEES, namedFees } from '../../src/contexts/wallet/domain/fees.js';
import { type WalletEntryRow } from './wallet-entry.projection.js';

/** The columns of an entry that hold its fees. At most one of them has a value. */
export type FeesOfEntry = Pick<WalletEntryRow, 'breakdown_kobo' | 'fees'>;

/** Returns the fees of a charge, or of the charge that an entry gives back; null if the entry has none. */
export function breakdownOf({ breakdown_kobo, fees }: FeesOfEntry): WalletEntryRow['breakdown_kobo'] {
  return fees ? (namedFees(fees) ?? null) : breakdown_kobo;
}

const NAMES = `array[${NUMBERED_FEES.map((fee) => `'${fee}'`).join(', ')}]`;

/** Returns SQL that selects the names of an entry's fees as `fee`, for statements whose rows are not read in TypeScript. */
export function feesOf(entry: string): string {
  return `select json_object_keys(${entry}.breakdown_kobo) as fee
    union all
    select (${NAMES})[number::int + 1] from json_array_elements_text(${entry}.fees) with ordinality pair(number, at) where at % 2 = 1`;
}
