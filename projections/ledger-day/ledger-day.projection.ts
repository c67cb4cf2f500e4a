import { defineEntity } from '@mikro-orm/core';
import { type RecordedEvent } from '../../src/event-sourcing/recorded-event.js';
import { postings } from '../../src/ledger/domain/postings.js';
import { type Key, projection } from '../../src/projecting/projection.js';
import { type WalletEvent } from '../../src/wallet/domain/events.js';
import { column } from '../columns.js';

export interface LedgerDayRow {
  readonly account: string;
  /** In UTC, such as 2026-03-01. */
  readonly day: string;
  /** Integer kobo, as decimal text. */
  readonly debit_kobo: string;
  /** Integer kobo, as decimal text. */
  readonly credit_kobo: string;
}

const table = defineEntity({
  name: 'ledger_day',
  tableName: 'ledger_day',
  properties: { account: column.text().primary(), day: column.text().primary(), debit_kobo: column.koboTotal(), credit_kobo: column.koboTotal() },
});

/** `recorded_at` is ISO 8601 in UTC: its first ten characters are the day. */
const dayOf = ({ data }: WalletEvent): string => data.recorded_at.slice(0, 10);

function keys(event: RecordedEvent<WalletEvent>): readonly Key[] {
  const accounts = new Set(postings(event).map(({ account }) => account));
  return [...accounts].map((account) => ({ account, day: dayOf(event) }));
}

function apply(row: LedgerDayRow | null, event: RecordedEvent<WalletEvent>, key: Key): LedgerDayRow {
  const account = String(key.account);
  let [debit, credit] = [BigInt(row?.debit_kobo ?? 0), BigInt(row?.credit_kobo ?? 0)];
  for (const posting of postings(event)) {
    if (posting.account !== account) continue;
    debit += BigInt(posting.debit_kobo);
    credit += BigInt(posting.credit_kobo);
  }
  return { account, day: dayOf(event), debit_kobo: debit.toString(), credit_kobo: credit.toString() };
}

const posted = { keys, apply };

/** What every account was debited and credited by, day by day: what a trial balance adds up. */
export const ledgerDayProjection = projection<LedgerDayRow, WalletEvent>({
  name: 'ledger_day',
  version: 1,
  table,
  handlers: { WalletCredited: posted, WalletDebited: posted, RefundIssued: posted },
});
