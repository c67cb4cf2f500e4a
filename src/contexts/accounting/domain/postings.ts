import { changeOf } from '../../wallet/domain/balance-change.js';
import { creditKindOf, type Deductions, deductionsOf, type MoneyKind, type WalletEvent } from '../../wallet/domain/events.js';
import { NO_DEDUCTIONS } from '../../wallet/domain/deductions.js';
import { feeOf } from '../../wallet/domain/fees.js';
import { vatIn, vatPercentOf } from '../../../kernel/vat.js';
import { type Account } from './chart-of-accounts.js';

/** One side of a double entry. Exactly one of the amounts is above 0. */
export interface Posting {
  readonly account: Account;
  /** The section whose fee contains the VAT; only in postings to `vat_payable`. */
  readonly section?: string;
  /** Integer kobo. */
  readonly debit_kobo: number;
  /** Integer kobo. */
  readonly credit_kobo: number;
}

/** The part of a wallet's entry that decides its postings. */
export interface Movement {
  /** Change of the wallet's balance in integer kobo; below 0 for a debit. */
  readonly change_kobo: number;
  /** Kind of a credit, or of the credit that a reversal takes back, or a payout; null for the other entries. */
  readonly kind: MoneyKind | null;
  /** Integer kobo by fee key, of a charge or of a charge that is given back; null for money in and out, and for refunds recorded without it. */
  readonly breakdown_kobo: Readonly<Record<string, number>> | null;
  /** Rate of the VAT that the fees contain, in percent. */
  readonly vat_percent: number;
  /** The parts of a payment that were deducted, or those that a reversal takes back. */
  readonly deductions: Deductions;
}

/** Returns the postings of a wallet event, with equal debits and credits. An event that moves no money has none. */
export function postings(event: WalletEvent): readonly Posting[] {
  return postingsOf(movementOf(event));
}

/** Returns the postings of a movement, debits first (admin, "Books"). */
export function postingsOf({ change_kobo, ...movement }: Movement): readonly Posting[] {
  const others = otherSide(Math.abs(change_kobo), movement).filter(([, kobo]) => kobo !== 0);
  if (change_kobo > 0) return [...others.map((part) => debit(...part)), credit('partner_balances', change_kobo)];
  if (change_kobo < 0) return [debit('partner_balances', -change_kobo), ...others.map((part) => credit(...part))];
  return [];
}

function movementOf(event: WalletEvent): Movement {
  const moved: Movement = { change_kobo: changeOf(event), kind: null, breakdown_kobo: null, vat_percent: 0, deductions: NO_DEDUCTIONS };
  switch (event.type) {
    case 'WalletCredited':
      return { ...moved, kind: creditKindOf(event.data), deductions: deductionsOf(event.data) };
    case 'CreditReversed':
      return { ...moved, kind: event.data.kind, deductions: deductionsOf(event.data) };
    case 'WalletPaidOut':
      return { ...moved, kind: 'payout' };
    case 'WalletDebited':
    case 'RefundIssued':
    case 'LookupCompensated':
      return { ...moved, breakdown_kobo: event.data.breakdown_kobo ?? null, vat_percent: vatPercentOf(event.data) };
    case 'ConsentGranted':
    case 'ChargesSettled':
      return moved;
  }
}

/** An account with its part of an amount in kobo, and the section that a {@link Posting} names. */
type Part = readonly [account: Account, kobo: number, section?: string];

/** Returns the accounts that balance a change of partners' money, with their amounts in kobo. */
function otherSide(amount_kobo: number, { kind, breakdown_kobo, vat_percent, deductions }: Omit<Movement, 'change_kobo'>): readonly Part[] {
  if (kind) {
    const { bank_fee_kobo, withheld_tax_kobo } = deductions;
    return [
      [moneyAccount(kind), amount_kobo - bank_fee_kobo - withheld_tax_kobo],
      ['bank_charges', bank_fee_kobo],
      ['wht_receivable', withheld_tax_kobo],
    ];
  }
  if (breakdown_kobo) return Object.entries(breakdown_kobo).flatMap(([key, fee_kobo]) => feeParts(key, fee_kobo, vat_percent));
  return [['refunds', amount_kobo]];
}

/** Returns the account of money in or out. Payments and payouts are cash; what the service gives away is an expense. */
function moneyAccount(kind: MoneyKind): Account {
  return kind === 'payment' || kind === 'payout' ? 'cash_received' : `${kind}_expense`;
}

/**
 * Splits the fee of a section into income and the VAT that it contains (finance, "VAT"). A fee that is passed through to a provider is a
 * disbursement without VAT: the service owes the whole of it to the provider.
 */
function feeParts(key: string, fee_kobo: number, vat_percent: number): readonly Part[] {
  const fee = feeOf(key);
  if (fee.kind === 'pass_through') return [[`passthrough_payable.${fee.provider}`, fee_kobo]];
  const vat_kobo = vatIn(fee_kobo, vat_percent);
  return [
    [`revenue.${fee.section}`, fee_kobo - vat_kobo],
    ['vat_payable', vat_kobo, fee.section],
  ];
}

export function debit(account: Account, debit_kobo: number, section?: string): Posting {
  return { account, ...(section !== undefined && { section }), debit_kobo, credit_kobo: 0 };
}

export function credit(account: Account, credit_kobo: number, section?: string): Posting {
  return { account, ...(section !== undefined && { section }), debit_kobo: 0, credit_kobo };
}
