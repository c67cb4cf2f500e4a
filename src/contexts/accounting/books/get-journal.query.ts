import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { ledgerDayProjection } from '../../../../projections/ledger-day/ledger-day.projection.js';
import { totalsByDay } from '../../../../projections/ledger-day/ledger-day.reader.js';
import { ledgerEntryProjection } from '../../../../projections/ledger-entry/ledger-entry.projection.js';
import { entrySums, journaledEntries } from '../../../../projections/ledger-entry/ledger-entry.reader.js';
import { partnerProjection } from '../../../../projections/partner/partner.projection.js';
import { journalEntries } from '../../../../projections/wallet-entry/books.reader.js';
import { walletEntryProjection } from '../../../../projections/wallet-entry/wallet-entry.projection.js';
import { DEFAULT_MODE, type Mode } from '../../../kernel/accounts.js';
import { Clock } from '../../../kernel/clock.js';
import { readSnapshot, type Snapshot } from '../../../platform/database/held-rows.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { computedUpTo } from '../../../platform/projecting/checkpoints.js';
import { DOCUMENT_WAIT_MS, ReadModels } from '../../../platform/projecting/read-models.js';
import { LogIndex, type LogIndexReader } from '../../evidence/public.js';
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

/** Nominal codes of accounts in the accounting program that imports journals, by the account's name. */
export abstract class AccountCodes {
  abstract readonly codes: ReadonlyMap<string, string>;
}

export interface Journal extends AsyncDisposable {
  readonly mode: Mode;
  /** The first day (UTC) that is counted; null for the beginning of the books. */
  readonly from: string | null;
  /** The last day (UTC) that is counted. */
  readonly to: string;
  readonly by: JournalGroup;
  /** Index of the last event of the log that was read; null if it is not known. */
  readonly as_of_index: number | null;
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
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly readModels: ReadModels,
    private readonly clock: Clock,
    private readonly logIndex: LogIndex,
    private readonly codes: AccountCodes,
  ) {}

  async execute({ mode, period, by }: GetJournal): Promise<Journal> {
    await this.readModels.waitForLog(READ_MODELS, DOCUMENT_WAIT_MS);
    const { from = null, to = this.clock.iso().slice(0, 10) } = period;
    const names = READ_MODELS.map(({ name }) => name);
    return await readSnapshot(this.pool, async (snapshot) => {
      const as_of_index = await this.logIndex.at(snapshot, await computedUpTo(snapshot, names));
      const lines = await this.lines(snapshot, mode, [from ?? FIRST_DAY, to], by);
      return { mode, from, to, by, as_of_index, codes: this.codes.codes, lines };
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
    return indexed(entries, this.logIndex.reader(this.pool));
  }
}

async function* indexed(entries: AsyncIterable<JournalEntry>, indexes: LogIndexReader): AsyncIterable<JournalLine> {
  for await (const entry of entries) yield* linesOf(entry, await indexes.of(entry.position));
}
