import { walletStreamOf } from './events.js';
import { namedFees, numberedFees } from './fees.js';

type Data = Readonly<Record<string, unknown>>;

/** The version of debits that are stored in {@link storedDebit}'s form. */
export const STORED_DEBIT_VERSION = 2;

const ENTRY = ['recorded_at', 'actor', 'balance_after_kobo', 'open_from_revision', 'lookup_id', 'rupa_id', 'source'] as const;
/** The fields of a debit, in the order in which the decider writes them. */
const IN_FULL: readonly string[] = ['partner_id', ...ENTRY, 'amount_kobo', 'breakdown_kobo', 'price_book_version'];
const STORED: readonly string[] = [...ENTRY, 'fees', 'price_book_version'];
/** The field that follows them in a debit with VAT. */
const TAXED = 'vat_percent';

/**
 * The stored form of a debit (docs/adr/0027). `fees` has the number and the amount of each fee in turn, in place of `breakdown_kobo`, of its
 * sum `amount_kobo` and of `partner_id`, which the name of the stream has. Data that this form cannot express is stored in full. Both functions
 * run for thousands of events per second, so they copy the fields by name.
 */
export const storedDebit = {
  since: STORED_DEBIT_VERSION,

  compact: (data: Data, stream: string): Data => {
    const fees = hasOnly(IN_FULL, data) ? numberedFees(data.breakdown_kobo) : undefined;
    if (!fees || sumOf(fees) !== data.amount_kobo || walletStreamOf(String(data.partner_id)) !== stream) return data;
    const stored = {
      recorded_at: data.recorded_at,
      actor: data.actor,
      balance_after_kobo: data.balance_after_kobo,
      open_from_revision: data.open_from_revision,
      lookup_id: data.lookup_id,
      rupa_id: data.rupa_id,
      source: data.source,
      fees,
      price_book_version: data.price_book_version,
    };
    return data.vat_percent === undefined ? stored : { ...stored, vat_percent: data.vat_percent };
  },

  /** Returns the data in full. Data that is not in this form stays as it is. */
  expand: (stored: Data, stream: string): Data => {
    const breakdown_kobo = hasOnly(STORED, stored) ? namedFees(stored.fees) : undefined;
    if (!breakdown_kobo) return stored;
    const data = {
      partner_id: stream.slice(walletStreamOf('').length),
      recorded_at: stored.recorded_at,
      actor: stored.actor,
      balance_after_kobo: stored.balance_after_kobo,
      open_from_revision: stored.open_from_revision,
      lookup_id: stored.lookup_id,
      rupa_id: stored.rupa_id,
      source: stored.source,
      amount_kobo: sumOf(stored.fees as readonly number[]),
      breakdown_kobo,
      price_book_version: stored.price_book_version,
    };
    return stored.vat_percent === undefined ? data : { ...data, vat_percent: stored.vat_percent };
  },
};

/** Whether the data has exactly these fields in this order, and after them perhaps the rate of VAT, so that a copy of them has the same text. */
function hasOnly(fields: readonly string[], data: Data): boolean {
  const names = Object.keys(data);
  const isTaxed = names.length === fields.length + 1;
  if (!isTaxed && names.length !== fields.length) return false;
  return names.every((name, index) => name === (fields[index] ?? TAXED) && data[name] !== undefined);
}

function sumOf(fees: readonly number[]): number {
  let sum = 0;
  for (let index = 1; index < fees.length; index += 2) sum += fees[index] ?? 0;
  return sum;
}
