import { formatNaira } from '../../../kernel/money.js';
import { SECTIONS } from '../../../kernel/section-names.js';
import { vatPercentOf } from '../../../kernel/vat.js';
import { FeeMissing, type PriceBook, priceLookup } from './price-book.js';
import { type PublishedPriceBook } from './price-timeline.js';

/** A debit, as far as its price is concerned. */
export interface PricedDebit {
  /** Integer kobo by fee key. */
  readonly breakdown_kobo: Readonly<Record<string, number>>;
  readonly price_book_version: number;
  /** In percent; 0 if absent. */
  readonly vat_percent?: number;
  /** ISO 8601, UTC. */
  readonly recorded_at: string;
}

/**
 * Milliseconds by which a debit may be dated before its prices are in force, because clocks differ, and for which the prices before may
 * still be charged, because instances learn of a publication one after the other (evidence, "The evidence file").
 */
const TOLERANCE_MS = 10_000;

/** Versions of the price book, by which any debit can be checked. */
export class PriceHistory {
  private readonly versions = new Map<number, PublishedPriceBook>();

  constructor(...books: readonly PublishedPriceBook[]) {
    for (const book of books) this.add(book);
  }

  add(book: PublishedPriceBook): void {
    this.versions.set(book.version, book);
  }

  has(version: number): boolean {
    return this.versions.has(version);
  }

  /** Returns why the debit's fees or their VAT are not those that were in force at its time; undefined if they are. */
  faultOf(debit: PricedDebit): string | undefined {
    const { price_book_version: version, recorded_at } = debit;
    const [book, next] = [this.versions.get(version), this.versions.get(version + 1)];
    if (!book) return `It charges the version ${version} of the price book, which was never published.`;
    if (isAfter(book.effective_at, recorded_at))
      return `It charges the version ${version} of the price book, which was in force from ${String(book.effective_at)} on, after it.`;
    if (next && isAfter(recorded_at, next.effective_at))
      return `It charges the version ${version} of the price book, which the version ${next.version} had replaced at ${String(next.effective_at)}.`;
    if (vatPercentOf(debit) !== book.vat_percent)
      return `Its VAT is ${vatPercentOf(debit)} percent, but in the version ${version} of the price book it is ${book.vat_percent} percent.`;
    return feeFault(book, debit.breakdown_kobo);
  }
}

/** Returns whether a time is later than another by more than clocks may differ. */
function isAfter(time: string | null, other: string | null): boolean {
  return time !== null && other !== null && Date.parse(time) - Date.parse(other) > TOLERANCE_MS;
}

function feeFault(book: PriceBook, charged: Readonly<Record<string, number>>): string | undefined {
  const sections = SECTIONS.filter((section) => `svc_fee.${section}` in charged);
  if (sections.length === 0) return 'It charges no section.';
  try {
    const fees = priceLookup(book, sections, 'passthrough.credit_bureau' in charged);
    const key = [...new Set([...Object.keys(fees), ...Object.keys(charged)])].find((each) => fees[each] !== charged[each]);
    return key === undefined
      ? undefined
      : `Its fee ${key} is ${ngn(charged[key])}, but in the version ${book.version} of the price book it is ${ngn(fees[key])}.`;
  } catch (error) {
    if (error instanceof FeeMissing) return error.message;
    throw error;
  }
}

function ngn(kobo: number | undefined): string {
  return kobo === undefined ? 'none' : `NGN ${formatNaira(kobo)}`;
}
