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

/** Asset: what partners paid in. */
const CASH_RECEIVED = 'cash_received';
/** Income, contra: a refund tells no breakdown, so that it lowers income as a whole, not section by section. */
const REFUNDS = 'refunds';

/** Liability: what a partner may still spend. */
export function prepaidAccount(partnerId: string): string {
  return `partner_prepaid:${partnerId}`;
}

/** What a wallet event means in double entry: debits equal credits. Events that move no money post nothing. */
export function postings(event: WalletEvent): readonly Posting[] {
  return sides(event).filter(({ debit_kobo, credit_kobo }) => debit_kobo !== 0 || credit_kobo !== 0);
}

function sides({ type, data }: WalletEvent): readonly Posting[] {
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

/** Income of a section, or the liability towards whom a fee is passed through to. */
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
