/** A fee that two versions of the price book state differently. Null: the version lacks the fee. Amounts in NGN. */
export interface FeeChange {
  readonly fee: string;
  readonly before: number | null;
  readonly after: number | null;
}

type Fees = Readonly<Record<string, number>>;

/** Returns the fees that differ between two versions of the price book, in the order of the later one; removed fees come last. */
export function compareFees(earlier: Fees, later: Fees): readonly FeeChange[] {
  const fees = new Set([...Object.keys(later), ...Object.keys(earlier)]);
  return [...fees]
    .map((fee) => ({ fee, before: earlier[fee] ?? null, after: later[fee] ?? null }))
    .filter(({ before, after }) => before !== after);
}

/** A version of the price book with its changes to the version before. The first version has none. */
export type Compared<V> = V & { readonly changes: readonly FeeChange[] | null };

/** Returns the versions, which are given in ascending order, newest first and each compared with the one before. */
export function compareVersions<V extends { readonly fees: Fees }>(versions: readonly V[]): readonly Compared<V>[] {
  return versions
    .map((version, index) => {
      const before = versions[index - 1];
      return { ...version, changes: before === undefined ? null : compareFees(before.fees, version.fees) };
    })
    .toReversed();
}
