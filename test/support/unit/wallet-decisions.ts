import {
  type ChargesSettled,
  type CreditReversed,
  type WalletCredited,
  type WalletDebited,
  type WalletPaidOut,
} from '../../../src/contexts/wallet/domain/events.js';

/** Commands to a wallet and the entries that they lead to, for specs of the wallet's decider. */
export const at = '2026-11-21T10:00:00.000Z';
export const partner_id = 'p1';
export const commandBase = { partner_id, at, actor: 'admin' };
export const recorded = { partner_id, recorded_at: at, actor: 'admin', open_from_revision: null };

export const credited: WalletCredited = {
  type: 'WalletCredited',
  data: { ...recorded, balance_after_kobo: 1_000_00, amount_kobo: 1_000_00, kind: 'payment', reference: 'r1', reason: null },
};
export const debited: WalletDebited = {
  type: 'WalletDebited',
  data: {
    ...recorded,
    balance_after_kobo: 900_00,
    lookup_id: 'l1',
    rupa_id: 'rp-1',
    source: 'loan',
    amount_kobo: 100_00,
    breakdown_kobo: { 'svc_fee.identity': 50_00, 'svc_fee.wallet': 50_00 },
    price_book_version: 1,
  },
};
export const reversed: CreditReversed = {
  type: 'CreditReversed',
  data: {
    ...recorded,
    balance_after_kobo: 700_00,
    amount_kobo: 300_00,
    credit_reference: 'r1',
    kind: 'payment',
    reference: 'v1',
    reason: 'credited twice',
  },
};
export const paidOut: WalletPaidOut = {
  type: 'WalletPaidOut',
  data: { ...recorded, balance_after_kobo: 600_00, amount_kobo: 400_00, reference: 'p1', reason: 'the partner closed its account' },
};
export const settled: ChargesSettled = {
  type: 'ChargesSettled',
  data: { ...recorded, balance_after_kobo: 900_00, open_from_revision: 1, charges: [{ lookup_id: 'l1', debit_revision: 1 }] },
};
/** A charge of one lookup. */
export const charge = {
  ...commandBase,
  lookup_id: 'l1',
  rupa_id: 'rp-1',
  source: 'loan',
  breakdown_kobo: { 'svc_fee.identity': 50_00, 'svc_fee.wallet': 50_00 },
  price_book_version: 1,
  key_id: 'k1',
  grants_consent: false,
};
