import { defineEntity } from '@mikro-orm/core';
import { type RecordedEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { projection } from '../../src/platform/projecting/projection.js';
import {
  creditKindOf,
  type Deductions,
  type MoneyKind,
  type WalletDebited,
  type WalletEvent,
} from '../../src/contexts/wallet/domain/events.js';
import { MANUAL_TYPES } from '../../src/contexts/wallet/domain/crediting/manual-entries.js';
import { numberedFees } from '../../src/contexts/wallet/domain/fees.js';
import { STORED_DEBIT_VERSION } from '../../src/contexts/wallet/domain/stored-debit.js';
import { column, expressionIndex, type RowOf } from '../columns.js';

const DEBIT = 'WalletDebited' satisfies WalletEvent['type'];
const IS_DEBIT = `type = '${DEBIT}'`;
/** The condition of an index, which PostgreSQL uses only for statements that have it in literals. */
export const IS_MANUAL = `type in (${MANUAL_TYPES.map((type) => `'${type}'`).join(', ')})`;

const table = defineEntity({
  name: 'wallet_entry',
  tableName: 'wallet_entry',
  properties: {
    partner_id: column.text().primary(),
    revision: column.integer().primary(),
    // Columns of a fixed size come first, because PostgreSQL aligns each of them.
    recorded_at: column.time(),
    /** Change of the balance in kobo. */
    amount_kobo: column.kobo(),
    balance_after_kobo: column.kobo(),
    price_book_version: column.integer().nullable(),
    type: column.text<WalletEvent['type']>(),
    /** Position of the event in $all, by which a journal orders the entries of all wallets. */
    position: column.position(),
    lookup_id: column.text().nullable(),
    /** Request id of a debit: the `X-Request-Id` of the lookup's response. */
    request_id: column.text().nullable(),
    rupa_id: column.text().nullable(),
    /** Purpose of a lookup, as the partner stated it. */
    source: column.text().nullable(),
    /** Number and amount of each fee in turn, in place of the breakdown of a debit that is stored in this form (fees-of-entry.ts). */
    fees: column.document<readonly number[]>().nullable(),
    /** Fees of a charge, or of the charge that a refund or a compensation gives back; null for refunds recorded without them. */
    breakdown_kobo: column.document<Readonly<Record<string, number>>>().nullable(),
    /** Rate of the VAT that the fees contain, in percent; null if there is none. */
    vat_percent: column.percent().nullable(),
    reason: column.text().nullable(),
    /** Who made an entry that is no part of a lookup; null for the others, which the partner's keys and the service make. */
    actor: column.text().nullable(),
    reference: column.text().nullable(),
    /** Kind of a credit, or of the credit that a reversal takes back, or a payout. */
    kind: column.text<MoneyKind>().nullable(),
    /** Reference of the credit that a reversal takes back. */
    credit_reference: column.text().nullable(),
    /** The part of a payment that the bank kept, or the part of that which a reversal takes back, in kobo; null if there is none. */
    bank_fee_kobo: column.kobo().nullable(),
    /** The part of a payment that the partner withheld as tax, or the part of that which a reversal takes back; null if there is none. */
    withheld_tax_kobo: column.kobo().nullable(),
    hash: column.text(),
  },
  indexes: [
    // The trial balance finds the entries of a part of a day. Rows are added in about the order of time, so a block range index does.
    { properties: ['recorded_at'], type: 'brin' },
    // Ids are random and are only compared for equality. A hash index needs a third of the bytes of a B-tree.
    { properties: ['lookup_id'], type: 'hash', where: 'lookup_id is not null' },
    // Hash values of four bytes take the place of ids, because every lookup writes these indexes. Statements compare the ids as well. A
    // caller may choose its request ids, and look up one farmer again and again, so these indexes have the order of the lists.
    expressionIndex('request', `(hashtext(request_id), hashtext(partner_id), revision) where request_id is not null`),
    expressionIndex('farmer_time', `(hashtext(rupa_id), recorded_at, hashtext(partner_id), revision) where ${IS_DEBIT}`),
    expressionIndex('farmer_partner', `(hashtext(rupa_id), hashtext(partner_id), revision) where ${IS_DEBIT}`),
    { properties: ['partner_id', 'reference'], where: 'reference is not null' },
    { properties: ['partner_id', 'credit_reference'], where: 'credit_reference is not null' },
    // Entries that move money and are no charges, for the report of prepaid money. No lookup writes this index or the next one.
    { properties: ['partner_id', 'revision'], where: `amount_kobo <> 0 and type <> '${DEBIT}'` },
    // For commands of administrators, which search all of their earlier entries (docs/adr/0069).
    expressionIndex('manual', `(partner_id, revision) where ${IS_MANUAL}`),
  ],
});

export type WalletEntryRow = RowOf<typeof table>;

const noDetails = {
  lookup_id: null,
  request_id: null,
  rupa_id: null,
  source: null,
  breakdown_kobo: null,
  fees: null,
  vat_percent: null,
  price_book_version: null,
  reason: null,
  actor: null,
  reference: null,
  kind: null,
  credit_reference: null,
  bank_fee_kobo: null,
  withheld_tax_kobo: null,
};

const keys = ({ data, revision }: RecordedEvent<WalletEvent>) => [{ partner_id: data.partner_id, revision: Number(revision) }];

function entry(event: RecordedEvent<WalletEvent>, amount_kobo: number) {
  const { data, revision, position, type, metadata } = event;
  const { partner_id, recorded_at, balance_after_kobo } = data;
  return {
    ...noDetails,
    partner_id,
    revision: Number(revision),
    position: position.toString(),
    type,
    recorded_at,
    amount_kobo,
    balance_after_kobo,
    hash: metadata.hash ?? '',
  };
}

function deducted({ bank_fee_kobo, withheld_tax_kobo }: Partial<Deductions>) {
  return { bank_fee_kobo: bank_fee_kobo ?? null, withheld_tax_kobo: withheld_tax_kobo ?? null };
}

function taxed({ vat_percent = null }: { readonly vat_percent?: number | null }): Pick<WalletEntryRow, 'vat_percent'> {
  return { vat_percent };
}

/** Keeps the fees in the form of the event. As long as debits are stored in full, earlier releases can read the rows, too. */
function feesOfDebit({
  data: { breakdown_kobo },
  metadata,
}: RecordedEvent<WalletDebited>): Pick<WalletEntryRow, 'breakdown_kobo' | 'fees'> {
  const fees = metadata.schema_version >= STORED_DEBIT_VERSION ? numberedFees(breakdown_kobo) : undefined;
  return fees ? { breakdown_kobo: null, fees } : { breakdown_kobo, fees: null };
}

/** One row per wallet event, for the lists of administrators and auditors. */
export const walletEntryProjection = projection<WalletEntryRow, WalletEvent>({
  name: 'wallet_entry',
  version: 20,
  table,
  handlers: {
    WalletCredited: {
      creates: true,
      keys,
      apply: (_row, event) => ({
        ...entry(event, event.data.amount_kobo),
        reference: event.data.reference,
        reason: event.data.reason ?? null,
        actor: event.data.actor,
        kind: creditKindOf(event.data),
        ...deducted(event.data),
      }),
    },
    CreditReversed: {
      creates: true,
      keys,
      apply: (_row, event) => {
        const { amount_kobo, reference, reason, actor, kind, credit_reference } = event.data;
        return { ...entry(event, -amount_kobo), reference, reason, actor, kind, credit_reference, ...deducted(event.data) };
      },
    },
    WalletPaidOut: {
      creates: true,
      keys,
      apply: (_row, event) => {
        const { amount_kobo, reference, reason, actor } = event.data;
        return { ...entry(event, -amount_kobo), reference, reason, actor, kind: 'payout' };
      },
    },
    WalletDebited: {
      creates: true,
      keys,
      apply: (_row, event) => {
        const { lookup_id, rupa_id, source, price_book_version, amount_kobo } = event.data;
        const described = { lookup_id, request_id: event.metadata.$correlationId, rupa_id, source, price_book_version };
        return { ...entry(event, -amount_kobo), ...described, ...feesOfDebit(event), ...taxed(event.data) };
      },
    },
    ConsentGranted: {
      creates: true,
      keys,
      apply: (_row, event) => ({ ...entry(event, 0), lookup_id: event.data.lookup_id, rupa_id: event.data.rupa_id }),
    },
    ChargesSettled: { creates: true, keys, apply: (_row, event) => entry(event, 0) },
    RefundIssued: {
      creates: true,
      keys,
      apply: (_row, event) => {
        const { lookup_id, rupa_id, reason, amount_kobo, breakdown_kobo = null } = event.data;
        return { ...entry(event, amount_kobo), lookup_id, rupa_id, reason, breakdown_kobo, ...taxed(event.data) };
      },
    },
    LookupCompensated: {
      creates: true,
      keys,
      apply: (_row, event) => {
        const { lookup_id, rupa_id, reason, actor, amount_kobo, breakdown_kobo } = event.data;
        return { ...entry(event, amount_kobo), lookup_id, rupa_id, reason, actor, breakdown_kobo, ...taxed(event.data) };
      },
    },
  },
});
