import {
  absentOr,
  count,
  integer,
  listOf,
  nullOr,
  objectWith,
  oneOf,
  recordOf,
  type Shape,
  text,
  time,
  vatPercent,
  wrongField,
} from '../../../kernel/shape.js';
import { CREDIT_KINDS, type WalletEvent } from './events.js';

const manual = { approval_id: absentOr(text), approved_by: absentOr(text), manual_entries_hash: absentOr(text) };
const entry: Shape = { partner_id: text, recorded_at: time, actor: text, balance_after_kobo: integer, open_from_revision: nullOr(count) };
const lookup: Shape = { ...entry, lookup_id: text, rupa_id: text };
const fees = recordOf(count);
const kind = oneOf(CREDIT_KINDS);
const deducted = { bank_fee_kobo: absentOr(count), withheld_tax_kobo: absentOr(count) };
const taxed = { vat_percent: absentOr(vatPercent) };
const charges = listOf(objectWith({ lookup_id: text, debit_revision: count }));

export const walletShapes: Readonly<Record<WalletEvent['type'], Shape>> = {
  WalletCredited: { ...entry, amount_kobo: count, reference: text, kind: absentOr(kind), ...deducted, ...manual },
  CreditReversed: { ...entry, amount_kobo: count, credit_reference: text, kind, reference: text, reason: text, ...deducted, ...manual },
  WalletPaidOut: { ...entry, amount_kobo: count, reference: text, reason: text, ...manual },
  WalletDebited: {
    ...lookup,
    ...taxed,
    source: text,
    amount_kobo: count,
    breakdown_kobo: fees,
    price_book_version: count,
    key_id: absentOr(text),
  },
  ConsentGranted: { ...lookup, source: text },
  ChargesSettled: { ...entry, charges },
  RefundIssued: { ...lookup, ...taxed, debit_revision: count, amount_kobo: count, breakdown_kobo: absentOr(fees), reason: text },
  LookupCompensated: { ...lookup, ...taxed, debit_revision: count, amount_kobo: count, breakdown_kobo: fees, reason: text, ...manual },
};

/** Returns why the type and data are not those of a wallet event; undefined if they are. */
export function shapeFault(type: string, data: Readonly<Record<string, unknown>>): string | undefined {
  if (!Object.hasOwn(walletShapes, type)) return `A wallet has no entries of the type ${type}.`;
  const field = wrongField(walletShapes[type as WalletEvent['type']], data);
  return field && `Its field ${field} is missing or has a value of the wrong kind.`;
}
