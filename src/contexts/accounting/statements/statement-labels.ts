import { type CreditLine } from '../domain/statement.js';
import { type Issuer } from '../domain/events.js';
import { type Month } from '../domain/month.js';

const NAMES = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];

/** Returns the name of a month, such as "March 2026". */
export function monthName({ from }: Month): string {
  const first = new Date(from);
  return `${NAMES[first.getUTCMonth()] ?? ''} ${first.getUTCFullYear()}`;
}

/** Returns the days of a month, such as "1 to 31 March 2026". */
export function daysOf(month: Month): string {
  const last = new Date(new Date(month.until).getTime() - 1);
  return `1 to ${last.getUTCDate()} ${monthName(month)}`;
}

/** Returns what a copy was computed from, such as ", as of event 40817 of the log"; empty if it is not known. */
export function asOfLabel(asOfIndex: number | null): string {
  return asOfIndex === null ? '' : `, as of event ${asOfIndex} of the log`;
}

/** Returns the label of the last balance, which is provisional while the month is not closed. */
export function closingBalanceLabel({ complete }: { readonly complete: boolean }): string {
  return complete ? 'Closing balance' : 'Balance so far';
}

const KINDS: Readonly<Record<CreditLine['kind'], string>> = {
  payment: 'Payment',
  goodwill: 'Goodwill',
  correction: 'Correction',
  payout: 'Payout',
};

/** Returns the kind of a credit, reversal or payout with its reason, such as "Goodwill: outage of 3 March". */
export function creditLabel({ kind, credit_reference, reason }: Pick<CreditLine, 'kind' | 'credit_reference' | 'reason'>): string {
  const label = credit_reference === null ? KINDS[kind] : `Reversal of ${credit_reference} (${kind})`;
  return reason === null ? label : `${label}: ${reason}`;
}

/** Returns the issuer in one line, such as "Issued by Rupa Ltd, 1 Marina, Lagos, tax id 12345678-0001"; empty if none is set. */
export function issuerLabel({ name, address, tax_id }: Issuer): string {
  const facts = [name, address, tax_id === null ? null : `tax id ${tax_id}`].filter((fact) => fact !== null);
  return facts.length === 0 ? '' : `Issued by ${facts.join(', ')}`;
}
