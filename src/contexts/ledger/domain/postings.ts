import { type CreditKind, creditKindOf, type WalletEvent } from '../../wallet/domain/events.js';
import { feeOf } from '../../wallet/domain/fees.js';

/** One side of a double entry. Exactly one of the amounts is above 0. */
export interface Posting {
  readonly account: string;
  /** Integer kobo. */
  readonly debit_kobo: number;
  /** Integer kobo. */
  readonly credit_kobo: number;
}

/** Contra account of income, for refunds that were recorded without the breakdown of their charge. */
const REFUNDS = 'refunds';

/** Returns the liability account of the money that a partner can still spend. */
export function prepaidAccount(partnerId: string): string {
  return `partner_prepaid:${partnerId}`;
}

/** Returns the postings of a wallet event, with equal debits and credits. An event that moves no money has none. */
export function postings(event: WalletEvent): readonly Posting[] {
  return postingsWithZeros(event).filter(({ debit_kobo, credit_kobo }) => debit_kobo !== 0 || credit_kobo !== 0);
}

function postingsWithZeros({ type, data }: WalletEvent): readonly Posting[] {
  const prepaid = prepaidAccount(data.partner_id);
  switch (type) {
    case 'WalletCredited':
      return [debit(creditAccount(creditKindOf(data)), data.amount_kobo), credit(prepaid, data.amount_kobo)];
    case 'CreditReversed':
      return [debit(prepaid, data.amount_kobo), credit(creditAccount(data.kind), data.amount_kobo)];
    case 'WalletDebited':
      return [
        debit(prepaid, data.amount_kobo),
        ...Object.entries(data.breakdown_kobo).map(([key, fee_kobo]) => credit(feeAccount(key), fee_kobo)),
      ];
    case 'RefundIssued':
    case 'LookupCompensated': {
      const { amount_kobo, breakdown_kobo } = data;
      const givenBack = breakdown_kobo
        ? Object.entries(breakdown_kobo).map(([key, fee_kobo]) => debit(feeAccount(key), fee_kobo))
        : [debit(REFUNDS, amount_kobo)];
      return [...givenBack, credit(prepaid, amount_kobo)];
    }
    case 'ConsentGranted':
    case 'ChargesSettled':
      return [];
  }
}

/** Returns the account that a credit is posted to. Only a payment is cash: what the service gives away is an expense. */
function creditAccount(kind: CreditKind): string {
  return kind === 'payment' ? 'cash_received' : `${kind}_expense`;
}

/** Returns the income account of a section, or the liability account of the provider that a fee is passed through to. */
function feeAccount(key: string): string {
  const fee = feeOf(key);
  return fee.kind === 'section' ? `lookup_revenue:${fee.section}` : `passthrough_payable:${fee.provider}`;
}

function debit(account: string, debit_kobo: number): Posting {
  return { account, debit_kobo, credit_kobo: 0 };
}

function credit(account: string, credit_kobo: number): Posting {
  return { account, debit_kobo: 0, credit_kobo };
}
