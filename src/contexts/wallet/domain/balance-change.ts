import { type WalletEvent } from './events.js';

/** What an entry changes the balance by, in kobo. */
export function changeOf(event: WalletEvent): number {
  switch (event.type) {
    case 'WalletCredited':
    case 'RefundIssued':
      return event.data.amount_kobo;
    case 'WalletDebited':
      return -event.data.amount_kobo;
    case 'ConsentGranted':
    case 'ChargesSettled':
      return 0;
  }
}
