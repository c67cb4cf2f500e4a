import { type WalletEvent } from '../../wallet/domain/events.js';
import { feeOf } from '../../wallet/domain/fees.js';

/** One side of a double entry. Exactly one of the amounts is above 0. */
export interface Posting {
  readonly account: string;
  /** Integer kobo. */
  readonly debit_kobo: number;
  /** Integer kobo. */
  readonly credit_kobo: number;
}

/** Asset account of the money that partners paid in. */
const CASH_RECEIVED = 'cash_received';
/** Contra account of income. A refund has no breakdown, so it reduces income as a whole instead of by section. */
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
      return [debit(CASH_RECEIVED, data.amount_kobo), credit(prepaid, data.amount_kobo)];
    case 'WalletDebited':
      return [
        debit(prepaid, data.amount_kobo),
        ...Object.entries(data.breakdown_kobo).map(([key, fee_kobo]) => credit(feeAccount(key), fee_kobo)),
      ];
    case 'RefundIssued':
      return [debit(REFUNDS, data.amount_kobo), credit(prepaid, data.amount_kobo)];
    case 'ConsentGranted':
    case 'ChargesSettled':
      return [];
  }
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
