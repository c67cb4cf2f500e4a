import { FEE_KEYS } from '../../../contexts/pricing/domain/price-book.js';

/** The name of the rate of VAT among what differs. */
export const VAT_PERCENT = 'vat_percent';

/** A fee, or the rate of VAT in percent, that two versions of the price book state differently. Null: the version lacks the fee. Amounts in NGN. */
export interface FeeChange {
  readonly fee: string;
  readonly before: number | null;
  readonly after: number | null;
}

type Fees = Readonly<Record<string, number>>;

/** Returns the fees in the order in which the documentation lists them; stored books have the order of their database. */
export function inOrder(fees: Fees): Fees {
  const names = new Set([...FEE_KEYS.filter((fee) => fee in fees), ...Object.keys(fees)]);
  return Object.fromEntries([...names].map((fee) => [fee, fees[fee] ?? 0]));
}

/** The part of a price book that the screens compare. */
export interface ComparedBook {
  readonly fees: Fees;
  readonly vat_percent: number;
}

/** Returns what differs between two versions of the price book: the rate of VAT and the fees. */
export function compareBooks(earlier: ComparedBook, later: ComparedBook): readonly FeeChange[] {
  const [before, after] = [earlier.vat_percent, later.vat_percent];
  return [...(before === after ? [] : [{ fee: VAT_PERCENT, before, after }]), ...compareFees(earlier.fees, later.fees)];
}

/** Returns the fees that differ between two versions of the price book. Fees that the later one lacks come last. */
export function compareFees(earlier: Fees, later: Fees): readonly FeeChange[] {
  const fees = new Set([...Object.keys(inOrder(later)), ...Object.keys(earlier)]);
  return [...fees]
    .map((fee) => ({ fee, before: earlier[fee] ?? null, after: later[fee] ?? null }))
    .filter(({ before, after }) => before !== after);
}

/** A version of the price book with its changes to the version before. The first version has none. */
export type Compared<V> = V & { readonly changes: readonly FeeChange[] | null };

/** Returns the versions, which are given in ascending order, newest first and each compared with the one before. */
export function compareVersions<V extends ComparedBook>(versions: readonly V[]): readonly Compared<V>[] {
  return versions
    .map((version, index) => {
      const before = versions[index - 1];
      return { ...version, changes: before === undefined ? null : compareBooks(before, version) };
    })
    .toReversed();
}
