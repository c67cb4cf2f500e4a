import { defineEntity } from '@mikro-orm/core';
import { type RecordedEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { postings } from '../../src/contexts/accounting/domain/postings.js';
import { ignored, type Key, projection } from '../../src/platform/projecting/projection.js';
import { type WalletEvent } from '../../src/contexts/wallet/domain/events.js';
import { feeOf } from '../../src/contexts/wallet/domain/fees.js';
import { column, type RowOf } from '../columns.js';

const table = defineEntity({
  name: 'ledger_day',
  tableName: 'ledger_day',
  properties: {
    partner_id: column.text().primary(),
    account: column.text().primary(),
    /** The section of the fees that contain the VAT, in rows of `vat_payable`; empty in all others. */
    section: column.text().primary(),
    /** Day in UTC, such as 2026-03-01. */
    day: column.text().primary(),
    /** Integer kobo, as decimal text. */
    debit_kobo: column.koboTotal(),
    /** Integer kobo, as decimal text. */
    credit_kobo: column.koboTotal(),
    /** Number of the charges among the entries, those without a fee included. */
    charges: column.integer(),
  },
  // The trial balance reads the newest days of all wallets. A row never changes its key, so updates leave the index alone. It has all columns
  // of the key: with the day alone, PostgreSQL would find each row of a batch among all rows of that day.
  indexes: [{ properties: ['day', 'partner_id', 'account', 'section'] }],
});

export type LedgerDayRow = RowOf<typeof table>;

/** Returns the day in UTC: `recorded_at` is ISO 8601 in UTC, so its first ten characters are the date. */
const dayOf = ({ data }: WalletEvent): string => data.recorded_at.slice(0, 10);

interface Total {
  readonly account: string;
  /** As in the row. */
  readonly section: string;
  readonly debit: bigint;
  readonly credit: bigint;
}

const NOTHING = { debit: 0n, credit: 0n };

/** The part of a row's key that an event decides besides its partner and day. */
const lineOf = (account: string, section = ''): string => `${account}\0${section}`;

/** Cache, because the totals of an event are needed once for its keys and again for each of its rows. */
const totalsByEvent = new WeakMap<RecordedEvent<WalletEvent>, ReadonlyMap<string, Total>>();

/** Returns the totals that an event posts, by {@link lineOf}. A charge has its wallet's and its sections' lines also where they are 0. */
function totals(event: RecordedEvent<WalletEvent>): ReadonlyMap<string, Total> {
  const known = totalsByEvent.get(event);
  if (known) return known;
  const charged = event.type === 'WalletDebited' ? chargedAccounts(event.data.breakdown_kobo) : [];
  const byLine = new Map<string, Total>(charged.map((account) => [lineOf(account), { account, section: '', ...NOTHING }]));
  for (const { account, section = '', debit_kobo, credit_kobo } of postings(event)) {
    const line = lineOf(account, section);
    const { debit, credit } = byLine.get(line) ?? NOTHING;
    byLine.set(line, { account, section, debit: debit + BigInt(debit_kobo), credit: credit + BigInt(credit_kobo) });
  }
  totalsByEvent.set(event, byLine);
  return byLine;
}

function chargedAccounts(breakdown_kobo: Readonly<Record<string, number>>): string[] {
  const fees = Object.keys(breakdown_kobo).map(feeOf);
  return ['partner_balances', ...fees.flatMap((fee) => (fee.kind === 'section' ? `revenue.${fee.section}` : []))];
}

function keys(event: RecordedEvent<WalletEvent>): readonly Key[] {
  const [{ partner_id }, day] = [event.data, dayOf(event)];
  return [...totals(event).values()].map(({ account, section }) => ({ partner_id, account, section, day }));
}

function apply(row: LedgerDayRow | null, event: RecordedEvent<WalletEvent>, key: Key): LedgerDayRow {
  const [account, section] = [String(key.account), String(key.section)];
  const { debit, credit } = totals(event).get(lineOf(account, section)) ?? NOTHING;
  return {
    partner_id: event.data.partner_id,
    account,
    section,
    day: dayOf(event),
    debit_kobo: (BigInt(row?.debit_kobo ?? 0) + debit).toString(),
    credit_kobo: (BigInt(row?.credit_kobo ?? 0) + credit).toString(),
    charges: (row?.charges ?? 0) + (event.type === 'WalletDebited' ? 1 : 0),
  };
}

const handler = { keys, apply };

/**
 * Daily debit and credit totals of every account, from which the trial balance and the revenue are computed. They are kept by partner, because
 * a wallet's events do not say the mode of its partner, and the books of the two modes never mix.
 */
export const ledgerDayProjection = projection<LedgerDayRow, WalletEvent>({
  name: 'ledger_day',
  version: 7,
  table,
  fillFactor: 80,
  comparedHourly: true,
  handlers: {
    WalletCredited: handler,
    CreditReversed: handler,
    WalletPaidOut: handler,
    WalletDebited: handler,
    RefundIssued: handler,
    LookupCompensated: handler,
    ConsentGranted: ignored,
    ChargesSettled: ignored,
  },
});
