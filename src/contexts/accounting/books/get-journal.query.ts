import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { ledgerDayProjection } from '../../../../projections/ledger-day/ledger-day.projection.js';
import { totalsByDay } from '../../../../projections/ledger-day/ledger-day.reader.js';
import { ledgerEntryProjection } from '../../../../projections/ledger-entry/ledger-entry.projection.js';
import { entrySums, journaledEntries } from '../../../../projections/ledger-entry/ledger-entry.reader.js';
import { partnerProjection } from '../../../../projections/partner/partner.projection.js';
import { journalEntries } from '../../../../projections/wallet-entry/books.reader.js';
import { walletEntryProjection } from '../../../../projections/wallet-entry/wallet-entry.projection.js';
import { DEFAULT_MODE, type Mode } from '../../../kernel/accounts.js';
import { Clock } from '../../../kernel/clock.js';
import { type Snapshot } from '../../../platform/database/held-rows.js';
import { type LogIndexReader } from '../../evidence/public.js';
import { dayBefore, type DayPeriod, FIRST_DAY } from '../domain/books-period.js';
import {
  type JournalEntry,
  type JournalGroup,
  type JournalLine,
  daysOfEntries,
  linesByDay,
  linesOf,
  merged,
} from '../domain/journal-lines.js';
import { type AsOf, ReportReads } from './report-reads.js';

/** Nominal codes of accounts in the accounting program that imports journals, by the account's name. */
export abstract class AccountCodes {
  abstract readonly codes: ReadonlyMap<string, string>;
}

export interface Journal extends AsOf, AsyncDisposable {
  readonly mode: Mode;
  /** The first day (UTC) that is counted; null for the beginning of the books. */
  readonly from: string | null;
  /** The last day (UTC) that is counted. */
  readonly to: string;
  readonly by: JournalGroup;
  readonly codes: ReadonlyMap<string, string>;
  /** By their day, and then their place in the log. To be read once. */
  readonly lines: AsyncIterable<JournalLine> | readonly JournalLine[];
}

/** Returns the journal of one mode in a period (finance, "Reports"), to be disposed of when it was read. */
export class GetJournal extends Query<Journal> {
  constructor(
    readonly mode: Mode = DEFAULT_MODE,
    readonly period: DayPeriod = {},
    readonly by: JournalGroup = 'entry',
  ) {
    super();
  }
}

const READ_MODELS = [ledgerDayProjection, ledgerEntryProjection, walletEntryProjection, partnerProjection];

@QueryHandler(GetJournal)
export class GetJournalHandler implements IQueryHandler<GetJournal> {
  constructor(
    private readonly reads: ReportReads,
    private readonly clock: Clock,
    private readonly codes: AccountCodes,
  ) {}

  async execute({ mode, period, by }: GetJournal): Promise<Journal> {
    return await this.reads.from(READ_MODELS, async (snapshot) => {
      const { from = null, to = this.clock.iso().slice(0, 10) } = period;
      const lines = await this.lines(snapshot, mode, [from ?? FIRST_DAY, to], by);
      return { mode, from, to, by, codes: this.codes.codes, lines };
    });
  }

  private async lines(snapshot: Snapshot, mode: Mode, [from, to]: readonly [string, string], by: JournalGroup): Promise<Journal['lines']> {
    if (by === 'day') {
      const wallets = await totalsByDay(snapshot, mode, from === FIRST_DAY ? '' : dayBefore(from), to);
      const entries = (await entrySums(snapshot, mode, to)).filter(({ date }) => date >= from);
      return linesByDay([...wallets, ...daysOfEntries(entries)]);
    }
    const period = [from, to] as const;
    const entries = merged(await journalEntries(snapshot, mode, period), await journaledEntries(snapshot, mode, period));
    // The snapshot's connection reads the entries while the indexes are looked up, so these come from the pool.
    return indexed(entries, this.reads.indexes());
  }
}

async function* indexed(entries: AsyncIterable<JournalEntry>, indexes: LogIndexReader): AsyncIterable<JournalLine> {
  for await (const entry of entries) yield* linesOf(entry, await indexes.of(entry.position));
}
