import { type WalletEvent } from './events.js';

/** Returns the change of the balance that an entry makes, in kobo; negative for a debit. */
export function changeOf(event: WalletEvent): number {
  switch (event.type) {
    case 'WalletCredited':
    case 'RefundIssued':
    case 'LookupCompensated':
      return event.data.amount_kobo;
    case 'WalletDebited':
    case 'CreditReversed':
    case 'WalletPaidOut':
      return -event.data.amount_kobo;
    case 'ConsentGranted':
    case 'ChargesSettled':
      return 0;
  }
}
