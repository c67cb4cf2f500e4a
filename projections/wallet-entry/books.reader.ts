import { type RepeatedMovement } from '../../src/contexts/accounting/domain/account-totals.js';
import { type JournalEntry, narrationOf } from '../../src/contexts/accounting/domain/journal-lines.js';
import { type PaymentMovement, type PayoutMovement } from '../../src/contexts/accounting/domain/reconciling/movements.js';
import { postingsOf } from '../../src/contexts/accounting/domain/postings.js';
import { type CreditLine, type RefundLine } from '../../src/contexts/accounting/domain/statements/statement.js';
import { type FeeMovement } from '../../src/contexts/accounting/domain/statements/statement-lines.js';
import { deductionsOf } from '../../src/contexts/wallet/domain/events.js';
import { vatPercentOf } from '../../src/kernel/vat.js';
import { type Mode } from '../../src/kernel/accounts.js';
import { type Snapshot } from '../../src/platform/database/held-rows.js';
import { columnsOf, listOf, rowsOf, textStatement } from '../../src/platform/database/typed-sql.js';
import { mapped } from '../../src/platform/mapped.js';
import { type PartnerRow } from '../partner/partner.projection.js';
import { breakdownOf, type FeesOfEntry } from './fees-of-entry.js';
import { type WalletEntryRow } from './wallet-entry.projection.js';

type EntryType = WalletEntryRow['type'];

const [e, r] = [columnsOf<WalletEntryRow>('e'), columnsOf<WalletEntryRow>('r')];
const p = columnsOf<PartnerRow>('p');
/** The fees of entries in a form that can be grouped by. */
const FEES = `${e.breakdown_kobo}::jsonb as breakdown_kobo, ${e.fees}::jsonb as fees`;
const BY_FEES = `${e.breakdown_kobo}::jsonb, ${e.fees}::jsonb`;

const MOVEMENTS = `select ${e.amount_kobo} as change_kobo, ${e.kind}, ${FEES}, ${e.vat_percent}, ${e.bank_fee_kobo}, ${e.withheld_tax_kobo}, count(*) as times
  from read.wallet_entry e join read.partner p on ${p.partner_id} = ${e.partner_id}
  where ${p.mode} = $1 and ${e.recorded_at} > $2 and ${e.recorded_at} <= $3 and ${e.amount_kobo} <> 0
  group by ${e.amount_kobo}, ${e.kind}, ${BY_FEES}, ${e.vat_percent}, ${e.bank_fee_kobo}, ${e.withheld_tax_kobo}`;

/** Returns the movements over the wallets of a mode, after one moment through another. */
export async function movementsBetween(snapshot: Snapshot, mode: Mode, after: string, through: string): Promise<RepeatedMovement[]> {
  type Grouped = Omit<RepeatedMovement, 'deductions' | 'vat_percent'> &
    FeesOfEntry &
    Pick<WalletEntryRow, 'vat_percent' | 'bank_fee_kobo' | 'withheld_tax_kobo'>;
  const movements = await rowsOf(snapshot, textStatement<Grouped>(MOVEMENTS, [mode, after, through]));
  return movements.map((movement) => ({
    ...movement,
    breakdown_kobo: breakdownOf(movement),
    vat_percent: vatPercentOf(movement),
    deductions: deductionsOf(movement),
  }));
}

/** Entries of these types move cash if their kind is the one here. A reversal of a payment is a part of that payment. */
const CASH_KINDS: { readonly [Type in EntryType]: 'payment' | 'payout' | null } = {
  WalletCredited: 'payment',
  WalletPaidOut: 'payout',
  CreditReversed: null,
  WalletDebited: null,
  RefundIssued: null,
  LookupCompensated: null,
  ConsentGranted: null,
  ChargesSettled: null,
};
const CASH_TYPES = Object.entries(CASH_KINDS).flatMap(([type, kind]) => (kind === null ? [] : [[type, kind] as const]));

/** The part of an amount that went through the bank: without the bank's fee and the withheld tax. */
const cashOf = ({ amount_kobo, bank_fee_kobo, withheld_tax_kobo }: typeof e, sign: '' | '-'): string =>
  `(${sign}${amount_kobo} - coalesce(${bank_fee_kobo}, 0) - coalesce(${withheld_tax_kobo}, 0))`;
const CASH = `select ${e.type}, ${p.partner_id}, ${p.company_name}, ${e.revision}, ${e.reference}, ${e.recorded_at},
    ${cashOf(e, '')} - reversed.cash_kobo as cash_kobo, reversed.cash_kobo as reversed_kobo,
    coalesce(${e.bank_fee_kobo}, 0) - reversed.bank_fee_kobo as bank_fee_kobo,
    coalesce(${e.withheld_tax_kobo}, 0) - reversed.withheld_tax_kobo as withheld_tax_kobo
  from read.wallet_entry e join read.partner p on ${p.partner_id} = ${e.partner_id}
  cross join lateral (
    select coalesce(sum(${cashOf(r, '-')}), 0)::bigint as cash_kobo, coalesce(sum(${r.bank_fee_kobo}), 0)::bigint as bank_fee_kobo,
      coalesce(sum(${r.withheld_tax_kobo}), 0)::bigint as withheld_tax_kobo
    from read.wallet_entry r where ${r.partner_id} = ${e.partner_id} and ${r.credit_reference} = ${e.reference}
      and ${e.type} = '${'WalletCredited' satisfies EntryType}' and ${r.type} = '${'CreditReversed' satisfies EntryType}'
  ) reversed
  where ${p.mode} = $1 and ${e.type} = any($2::text[]) and ${e.kind} = any($3::text[])
  order by ${e.recorded_at}, ${e.partner_id}, ${e.revision}`;

type CashRow = Omit<PaymentMovement, 'kind' | 'date'> & Pick<WalletEntryRow, 'type' | 'recorded_at'>;

/** Returns the movements of cash in the wallets of a mode, payments and payouts, oldest first. */
export async function cashMovements(snapshot: Snapshot, mode: Mode): Promise<AsyncIterable<PaymentMovement | PayoutMovement>> {
  const rows = await listOf(
    snapshot,
    textStatement<CashRow>(CASH, [mode, CASH_TYPES.map(([type]) => type), CASH_TYPES.map(([, kind]) => kind)]),
  );
  return mapped(rows, ({ type, recorded_at, ...row }): PaymentMovement | PayoutMovement => {
    const date = recorded_at.slice(0, 10);
    if (CASH_KINDS[type] === 'payment') return { kind: 'payment', ...row, date };
    const { partner_id, company_name, revision, reference, cash_kobo } = row;
    return { kind: 'payout', partner_id, company_name, revision, reference, cash_kobo, date };
  });
}

/** A wallet's entries after one revision, up to and including another. */
export type Entries = readonly [partnerId: string, after: number, to: number];
const AMONG = `from read.wallet_entry e where ${e.partner_id} = $1 and ${e.revision} > $2 and ${e.revision} <= $3`;

const CREDITS = `select ${e.revision}, ${e.recorded_at}, ${e.amount_kobo}, ${e.kind}, ${e.reference}, ${e.credit_reference}, ${e.reason},
    sign(${e.amount_kobo})::int * coalesce(${e.bank_fee_kobo}, 0) as bank_fee_kobo,
    sign(${e.amount_kobo})::int * coalesce(${e.withheld_tax_kobo}, 0) as withheld_tax_kobo
  ${AMONG} and ${e.type} = any($4) order by ${e.revision}`;

/** Returns the entries of these types as the credits of a statement, oldest first. */
export async function creditLines(snapshot: Snapshot, entries: Entries, types: readonly EntryType[]): Promise<AsyncIterable<CreditLine>> {
  return await listOf(snapshot, textStatement<CreditLine>(CREDITS, [...entries, types]));
}

const REFUNDS = `select ${e.revision}, ${e.recorded_at}, ${e.amount_kobo}, ${e.lookup_id}, ${e.rupa_id}, ${e.reason}
  ${AMONG} and ${e.type} = any($4) order by ${e.revision}`;

/** Returns the entries of these types as the refunds of a statement, oldest first. */
export async function refundLines(snapshot: Snapshot, entries: Entries, types: readonly EntryType[]): Promise<AsyncIterable<RefundLine>> {
  return await listOf(snapshot, textStatement<RefundLine>(REFUNDS, [...entries, types]));
}

const BY_TYPE = `select ${e.type}, count(*), sum(${e.amount_kobo})::bigint as amount_kobo ${AMONG} group by ${e.type}`;

/** Returns the number and the sum of the entries of each type. */
export async function totalsByType(snapshot: Snapshot, entries: Entries) {
  return await rowsOf(snapshot, textStatement<Pick<WalletEntryRow, 'type' | 'amount_kobo'> & { count: number }>(BY_TYPE, entries));
}

const FEE_MOVEMENTS = `select ${e.type}, ${e.amount_kobo}, ${FEES}, ${e.vat_percent}, count(*)
  ${AMONG} and ${e.type} = any($4) group by ${e.type}, ${e.amount_kobo}, ${BY_FEES}, ${e.vat_percent}`;

/** Returns the entries of these types that have the same fees and the same rate, counted. There are few such groups, however many entries there are. */
export async function feeMovements(
  snapshot: Snapshot,
  entries: Entries,
  types: readonly EntryType[],
): Promise<readonly (FeeMovement & Pick<WalletEntryRow, 'type'>)[]> {
  type Grouped = Pick<WalletEntryRow, 'type' | 'amount_kobo' | 'vat_percent'> & FeesOfEntry & { count: number };
  const groups = await rowsOf(snapshot, textStatement<Grouped>(FEE_MOVEMENTS, [...entries, types]));
  return groups.map(({ type, amount_kobo, count, ...of }) => ({
    type,
    isCharge: type === 'WalletDebited',
    amount_kobo,
    count,
    breakdown_kobo: breakdownOf(of),
    vat_percent: vatPercentOf(of),
  }));
}

type Journaled = Pick<
  WalletEntryRow,
  'partner_id' | 'position' | 'type' | 'kind' | 'reference' | 'lookup_id' | 'reason' | 'vat_percent' | 'bank_fee_kobo' | 'withheld_tax_kobo'
> &
  FeesOfEntry & { readonly change_kobo: number; readonly date: string };

const DAY = `to_char(${e.recorded_at} at time zone 'UTC', 'YYYY-MM-DD')`;
const JOURNALED = `select ${DAY} as date, ${e.position}, ${e.partner_id}, ${e.type}, ${e.kind}, ${e.amount_kobo} as change_kobo,
    ${e.breakdown_kobo}, ${e.fees}, ${e.vat_percent}, ${e.bank_fee_kobo}, ${e.withheld_tax_kobo}, ${e.reference}, ${e.lookup_id}, ${e.reason}
  from read.wallet_entry e join read.partner p on ${p.partner_id} = ${e.partner_id}
  where ${p.mode} = $1 and ${e.recorded_at} >= $2 and ${e.recorded_at} < $3::timestamptz + interval '1 day' and ${e.amount_kobo} <> 0
  order by 1, 2`;

/** Returns the entries of the wallets of a mode that move money, from one day through another, by their day and then their place in the log. */
export async function journalEntries(
  snapshot: Snapshot,
  mode: Mode,
  [from, to]: readonly [string, string],
): Promise<AsyncIterable<JournalEntry>> {
  const days = [`${from}T00:00:00Z`, `${to}T00:00:00Z`];
  return journaled(await listOf(snapshot, textStatement<Journaled>(JOURNALED, [mode, ...days])));
}

async function* journaled(rows: AsyncIterable<Journaled>): AsyncIterable<JournalEntry> {
  for await (const row of rows) {
    const { date, position, change_kobo, kind, partner_id: partner, reference, lookup_id, type, reason } = row;
    const movement = { change_kobo, kind, breakdown_kobo: breakdownOf(row), vat_percent: vatPercentOf(row), deductions: deductionsOf(row) };
    const narration = narrationOf(type, kind, reason);
    yield { date, position: BigInt(position), postings: postingsOf(movement), partner, reference: reference ?? lookup_id, narration };
  }
}

const JOURNALED_COUNT = `select count(*) as entries from read.wallet_entry e join read.partner p on ${p.partner_id} = ${e.partner_id}
  where ${p.mode} = $1 and ${e.recorded_at} >= $2 and ${e.recorded_at} < $3 and ${e.amount_kobo} <> 0`;

/** Returns how many entries of the wallets of a mode move money, from one moment to before another. */
export async function journalEntryCount(snapshot: Snapshot, mode: Mode, [from, until]: readonly [string, string]): Promise<number> {
  const [row] = await rowsOf(snapshot, textStatement<{ entries: number }>(JOURNALED_COUNT, [mode, from, until]));
  return row?.entries ?? 0;
}
