import { type CreditLine } from '../domain/statements/statement.js';
import { type Issuer } from '../domain/events.js';
import { type Month } from '../domain/month.js';
import { type StatementLine } from '../domain/statements/statement-lines.js';
import { type PartnerStatement, type StatementCustomer } from './statements.js';

const NAMES = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];

/** Returns the name of a month, such as "March 2026". */
function monthName({ from }: Month): string {
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
export function closingBalanceLabel({ status }: Pick<PartnerStatement, 'status'>): string {
  return status === 'closed' ? 'Closing balance' : 'Balance so far';
}

export function documentName({ is_tax_invoice }: Pick<PartnerStatement, 'is_tax_invoice'>): string {
  return is_tax_invoice ? 'Tax invoice' : 'Statement';
}

/** Returns what heads a statement, such as "Tax invoice, March 2026". */
export function headingOf(found: Pick<PartnerStatement, 'is_tax_invoice' | 'month'>): string {
  return `${documentName(found)}, ${monthName(found.month)}`;
}

export function statusLabel({ status }: Pick<PartnerStatement, 'status'>): string {
  return status === 'closed' ? 'closed' : 'not closed';
}

/** Returns the customer in one or two lines: number, legal name and address; what else is known of it as a legal person. */
export function customerLabels({ number, legal }: StatementCustomer): readonly string[] {
  const named = [`Customer ${number}`, legal.name, legal.address].filter((fact) => fact !== null);
  const facts = [prefixed('tax id', legal.tax_id), prefixed('registration number', legal.registration_number), legal.email];
  const known = facts.filter((fact) => fact !== null).join(', ');
  return [named.join(', '), ...(known === '' ? [] : [known.charAt(0).toUpperCase() + known.slice(1)])];
}

function prefixed(of: string, fact: string | null): string | null {
  return fact === null ? null : `${of} ${fact}`;
}

/** Names of what is charged that are not those in the events. Labels stay as they are: those of a closed month never change. */
const NAMES_OF_FEES: Readonly<Record<string, string>> = { bvn: 'BVN', nin: 'NIN', bvn_nin_data: 'BVN and NIN data' };

/** Returns the label of a line, such as "Credit history" or "Refund: BVN, passed through". */
export function lineLabel({ section, provider, quantity }: Pick<StatementLine, 'section' | 'provider' | 'quantity'>): string {
  const of = section ?? provider;
  if (of === null) return 'Refund recorded without fees';
  const label = `${feeName(of)}${provider === null ? '' : ', passed through'}`;
  return quantity < 0 ? `Refund: ${label}` : label;
}

function feeName(of: string): string {
  const words = of.replaceAll('_', ' ');
  return Object.hasOwn(NAMES_OF_FEES, of) ? (NAMES_OF_FEES[of] ?? of) : words.charAt(0).toUpperCase() + words.slice(1);
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
