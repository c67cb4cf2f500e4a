import { type PrepaidEntry } from '../../../src/contexts/accounting/domain/prepaid.js';
import { changeOf } from '../../../src/contexts/wallet/domain/balance-change.js';
import { type WalletEvent } from '../../../src/contexts/wallet/domain/events.js';

/** Returns an event as an entry that decides the age of money; an event that moves none is no such entry. */
export function prepaidEntryOf(event: WalletEvent): PrepaidEntry[] {
  const { recorded_at, balance_after_kobo } = event.data;
  const entry = { recorded_at, balance_after_kobo, change_kobo: changeOf(event) };
  switch (event.type) {
    case 'WalletCredited':
      return [{ ...entry, kind: 'credit', reference: event.data.reference }];
    case 'CreditReversed':
      return [{ ...entry, kind: 'reversal', credit_reference: event.data.credit_reference }];
    case 'WalletPaidOut':
      return [{ ...entry, kind: 'payout' }];
    case 'WalletDebited':
      return [{ ...entry, kind: 'charge', lookup_id: event.data.lookup_id }];
    case 'RefundIssued':
    case 'LookupCompensated':
      return [{ ...entry, kind: 'given_back', lookup_id: event.data.lookup_id }];
    case 'ConsentGranted':
    case 'ChargesSettled':
      return [];
  }
}
