import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { ledgerDayProjection } from '../../../../projections/ledger-day/ledger-day.projection.js';
import { firstDayOfWallets, totalsByDay } from '../../../../projections/ledger-day/ledger-day.reader.js';
import { ledgerEntryProjection } from '../../../../projections/ledger-entry/ledger-entry.projection.js';
import { entryCounts, entrySums } from '../../../../projections/ledger-entry/ledger-entry.reader.js';
import { openChargeProjection } from '../../../../projections/open-charge/open-charge.projection.js';
import { openChargesBefore } from '../../../../projections/open-charge/open-charge.reader.js';
import { partnerProjection } from '../../../../projections/partner/partner.projection.js';
import { journalEntryCount } from '../../../../projections/wallet-entry/books.reader.js';
import { walletEntryProjection } from '../../../../projections/wallet-entry/wallet-entry.projection.js';
import { type Mode } from '../../../kernel/accounts.js';
import { readSnapshot, type Snapshot } from '../../../platform/database/held-rows.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { computedUpTo } from '../../../platform/projecting/checkpoints.js';
import { DOCUMENT_WAIT_MS, ReadModels } from '../../../platform/projecting/read-models.js';
import { LogIndex } from '../../evidence/public.js';
import { assertBooksWhole } from '../books/whole-books.js';
import { movementsOf, withEntries } from '../domain/account-totals.js';
import { dayBefore, FIRST_DAY } from '../domain/books-period.js';
import { type MonthRead } from '../domain/closing.js';
import { type ClosedAccount } from '../domain/events.js';
import { type Month } from '../domain/month.js';

const READ_MODELS = [ledgerDayProjection, ledgerEntryProjection, walletEntryProjection, openChargeProjection, partnerProjection];

/** Reads what a month is closed with: everything that the log has when the read begins, in one snapshot. */
@Injectable()
export class MonthReads {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly readModels: ReadModels,
    private readonly logIndex: LogIndex,
  ) {}

  /**
   * @throws ReadModelBehind if a read model does not show the log in time, EventSetAside if one leaves out an event that cannot be used,
   * RowForged if one has a row that was noticed to differ from the log
   */
  async of(mode: Mode, month: Month): Promise<MonthRead> {
    await this.readModels.waitForLog(READ_MODELS, DOCUMENT_WAIT_MS);
    await assertBooksWhole(this.pool, READ_MODELS);
    const names = READ_MODELS.map(({ name }) => name);
    const [from, to] = [month.from.slice(0, 10), dayBefore(month.until.slice(0, 10))];
    await using read = await readSnapshot(this.pool, async (snapshot) => {
      const entries = await entryCounts(snapshot, mode, [from, to]);
      return {
        wallets_first_day: await firstDayOfWallets(snapshot, mode),
        open_charges: await openChargesBefore(snapshot, mode, month.until),
        accounts: await accountsOf(snapshot, mode, [from, to]),
        entries: entries.within + (await journalEntryCount(snapshot, mode, [month.from, month.until])),
        posted: entries.posted,
        index: await this.logIndex.at(snapshot, await computedUpTo(snapshot, names)),
      };
    });
    const { wallets_first_day, open_charges, accounts, entries, posted, index } = read;
    return { wallets_first_day, open_charges, accounts, entries, posted, index };
  }
}

/** Returns the trial balance of some days. Nothing that a process keeps goes into it, because a closed month is never added up again. */
async function accountsOf(snapshot: Snapshot, mode: Mode, [from, to]: readonly [string, string]): Promise<ClosedAccount[]> {
  const days = await totalsByDay(snapshot, mode, FIRST_DAY, to);
  const entries = await entrySums(snapshot, mode, to);
  const before = withEntries(
    days.filter(({ day }) => day < from),
    entries,
    dayBefore(from),
  );
  return movementsOf(before, withEntries(days, entries, to)).map(({ account, opening_kobo, debit_kobo, credit_kobo, closing_kobo }) => ({
    account,
    opening_kobo: opening_kobo.toString(),
    debit_kobo: debit_kobo.toString(),
    credit_kobo: credit_kobo.toString(),
    closing_kobo: closing_kobo.toString(),
  }));
}
