import { type CreditKind, type Deductions, type WalletEvent } from '../../../src/contexts/wallet/domain/events.js';

export const at = '2026-11-21T10:00:00.000Z';
const entry = { partner_id: 'p1', recorded_at: at, actor: 'service', balance_after_kobo: 900_00, open_from_revision: null };

export function credited(
  amount_kobo: number,
  reference = 'r1',
  over: Partial<{ reason: string | null; recorded_at: string; kind: CreditKind } & Deductions> = {},
): WalletEvent {
  return { type: 'WalletCredited', data: { ...entry, amount_kobo, reference, ...over, balance_after_kobo: amount_kobo } };
}

export function debited(
  lookup_id: string,
  rupa_id: string,
  over: Partial<{ source: string; recorded_at: string; breakdown_kobo: Fees; vat_percent: number }> = {},
): WalletEvent {
  const data = {
    ...entry,
    lookup_id,
    rupa_id,
    source: 'loan',
    amount_kobo: 100_00,
    breakdown_kobo: { 'svc_fee.identity': 100_00 },
    price_book_version: 1,
    ...over,
  };
  return { type: 'WalletDebited', data };
}

export function granted(lookup_id: string, rupa_id: string): WalletEvent {
  return { type: 'ConsentGranted', data: { ...entry, lookup_id, rupa_id, source: 'loan' } };
}

export function settled(...charges: { lookup_id: string; debit_revision: number }[]): WalletEvent {
  return { type: 'ChargesSettled', data: { ...entry, charges } };
}

type Fees = Readonly<Record<string, number>>;

export function refunded(
  lookup_id: string,
  rupa_id: string,
  debit_revision: number,
  over: Partial<{ breakdown_kobo: Fees; vat_percent: number }> = {},
): WalletEvent {
  return { type: 'RefundIssued', data: { ...entry, lookup_id, rupa_id, debit_revision, amount_kobo: 100_00, ...over, reason: 'failed' } };
}

export function compensated(
  lookup_id: string,
  rupa_id: string,
  debit_revision: number,
  { breakdown_kobo = { 'svc_fee.identity': 100_00 }, ...taxed }: Partial<{ breakdown_kobo: Fees; vat_percent: number }> = {},
): WalletEvent {
  const charge = { lookup_id, rupa_id, debit_revision, amount_kobo: 100_00, breakdown_kobo, ...taxed };
  return { type: 'LookupCompensated', data: { ...entry, ...charge, reason: 'a complaint' } };
}

export function paidOut(amount_kobo: number, reference = 'p1'): WalletEvent {
  return { type: 'WalletPaidOut', data: { ...entry, amount_kobo, reference, reason: 'asked back' } };
}

export function reversed(amount_kobo: number, credit_reference = 'r1', over: Partial<{ kind: CreditKind } & Deductions> = {}): WalletEvent {
  const reversal = { amount_kobo, credit_reference, kind: 'payment' as const, reference: 'v1', reason: 'a wrong credit' };
  return { type: 'CreditReversed', data: { ...entry, ...reversal, ...over } };
}
