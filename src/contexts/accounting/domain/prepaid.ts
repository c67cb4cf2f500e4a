/** Ages in whole days up to which money belongs to a band; older money belongs to the last one (finance, "Reports"). */
const AGE_BANDS = { age_0_30: 30, age_31_90: 90, age_91_180: 180, age_over_180: Infinity } as const;
type AgeBand = keyof typeof AGE_BANDS;
/** Integer kobo by band. */
export type KoboByAge = { readonly [Band in AgeBand]: number };

/**
 * An entry of a wallet that decides how old its money is: every entry that moves money, but for the charges that were never given back,
 * which follow from the balances in between. In the order of the wallet.
 */
export type PrepaidEntry = {
  /** ISO 8601, UTC. */
  readonly recorded_at: string;
  /** Change of the balance in integer kobo; below 0 for a charge, a reversal and a payout. */
  readonly change_kobo: number;
  /** Integer kobo. */
  readonly balance_after_kobo: number;
} & (
  | { readonly kind: 'credit'; readonly reference: string }
  | { readonly kind: 'reversal'; readonly credit_reference: string }
  | { readonly kind: 'payout' }
  | { readonly kind: 'charge' | 'given_back'; readonly lookup_id: string }
);

/** Money of one credit that is not spent. */
interface Layer {
  readonly index: number;
  readonly since: string;
  left: number;
}

/** The layers that a charge took its money from. `short` is what no layer had: a later reversal took it from a credit before. */
interface Taken {
  readonly from: { readonly layer: Layer; readonly kobo: number }[];
  short: number;
}

const DAY_MS = 86_400_000;

/**
 * Returns the balance of a wallet by the age of its money at a moment (finance, "Reports"): charges and payouts take the oldest money, what is
 * given back returns to where its charge took it from, and each credit counts less what was reversed of it.
 * @param entries the entries up to the moment
 * @param balance_kobo the balance at the moment, in integer kobo
 */
export function prepaidByAge(entries: readonly PrepaidEntry[], balance_kobo: number, at: string): KoboByAge {
  const wallet = new Layers();
  const reversed = reversedByReference(entries);
  const charges = new Map<string, Taken>();
  let balance = 0;
  for (const entry of entries) {
    wallet.take(balance - (entry.balance_after_kobo - entry.change_kobo));
    balance = entry.balance_after_kobo;
    switch (entry.kind) {
      case 'credit':
        wallet.add(entry.recorded_at, entry.change_kobo - (reversed.get(entry.reference) ?? 0));
        break;
      case 'reversal':
        break;
      case 'payout':
        wallet.take(-entry.change_kobo);
        break;
      case 'charge':
        charges.set(entry.lookup_id, wallet.take(-entry.change_kobo));
        break;
      case 'given_back':
        wallet.giveBack(charges.get(entry.lookup_id), entry);
        break;
    }
  }
  wallet.take(balance - balance_kobo);
  return wallet.byAge(Date.parse(at));
}

function reversedByReference(entries: readonly PrepaidEntry[]): ReadonlyMap<string, number> {
  const reversed = new Map<string, number>();
  for (const entry of entries) {
    if (entry.kind !== 'reversal') continue;
    reversed.set(entry.credit_reference, (reversed.get(entry.credit_reference) ?? 0) - entry.change_kobo);
  }
  return reversed;
}

/** A wallet's money by credit, oldest first. */
class Layers {
  private readonly layers: Layer[] = [];
  private readonly short = new Set<Taken>();
  /** Every layer before it is empty. */
  private first = 0;

  add(since: string, kobo: number): void {
    this.layers.push({ index: this.layers.length, since, left: kobo });
    this.settle();
  }

  take(kobo: number): Taken {
    const taken: Taken = { from: [], short: kobo };
    this.fill(taken);
    if (taken.short > 0) this.short.add(taken);
    return taken;
  }

  /** Returns money to where a charge took it from. Without the charge, which only a damaged log lacks, the money is as old as the entry. */
  giveBack(charge: Taken | undefined, { recorded_at, change_kobo }: PrepaidEntry): void {
    if (!charge) {
      this.add(recorded_at, change_kobo);
      return;
    }
    this.short.delete(charge);
    for (const { layer, kobo } of charge.from) {
      layer.left += kobo;
      this.first = Math.min(this.first, layer.index);
    }
    this.settle();
  }

  byAge(atMs: number): KoboByAge {
    const sums: Record<AgeBand, number> = { age_0_30: 0, age_31_90: 0, age_91_180: 0, age_over_180: 0 };
    for (const { since, left } of this.layers) sums[bandOf(Math.floor((atMs - Date.parse(since)) / DAY_MS))] += left;
    return sums;
  }

  private settle(): void {
    for (const taken of this.short) {
      this.fill(taken);
      if (taken.short > 0) return;
      this.short.delete(taken);
    }
  }

  private fill(taken: Taken): void {
    for (; taken.short > 0; this.first += 1) {
      const layer = this.layers[this.first];
      if (!layer) return;
      const kobo = Math.min(layer.left, taken.short);
      if (kobo > 0) taken.from.push({ layer, kobo });
      layer.left -= kobo;
      taken.short -= kobo;
      if (layer.left > 0) return;
    }
  }
}

function bandOf(days: number): AgeBand {
  const bands = Object.entries(AGE_BANDS) as [AgeBand, number][];
  return bands.find(([, most]) => days <= most)?.[0] ?? 'age_over_180';
}
