import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { ledgerDayProjection } from '../../../../projections/ledger-day/ledger-day.projection.js';
import { firstDayOfWallets } from '../../../../projections/ledger-day/ledger-day.reader.js';
import { ledgerEntryProjection } from '../../../../projections/ledger-entry/ledger-entry.projection.js';
import { entryCounts } from '../../../../projections/ledger-entry/ledger-entry.reader.js';
import { ledgerPeriodProjection } from '../../../../projections/ledger-period/ledger-period.projection.js';
import { closedPeriods } from '../../../../projections/ledger-period/ledger-period.reader.js';
import { partnerProjection } from '../../../../projections/partner/partner.projection.js';
import { DEFAULT_MODE, type Mode } from '../../../kernel/accounts.js';
import { Clock } from '../../../kernel/clock.js';
import { readSnapshot } from '../../../platform/database/held-rows.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { DOCUMENT_WAIT_MS, ReadModels } from '../../../platform/projecting/read-models.js';
import { refuseSetAside } from '../../../platform/unusable-events/unusable-table.js';
import { FIRST_DAY, LAST_DAY } from '../domain/books-period.js';
import { nextToClose } from '../domain/closing.js';
import { type PeriodClosed } from '../domain/events.js';
import { LEDGER_STREAMS } from '../domain/ledger.js';
import { type Month, monthAfter } from '../domain/month.js';

/** A month of the books: what it was closed with, or null while it is open. */
export interface Period {
  /** Month in UTC, such as 2026-03. */
  readonly period: string;
  readonly mode: Mode;
  readonly closed: Omit<PeriodClosed['data'], 'mode' | 'period'> | null;
}

export interface Periods {
  readonly mode: Mode;
  /** Oldest first. */
  readonly periods: readonly Period[];
}

/**
 * Returns the months of a mode from that of its first entry through the present one, oldest first (finance, "Closing a month").
 * @throws EventSetAside while an event of the ledger cannot be used, because it may be a close
 */
export class GetPeriods extends Query<Periods> {
  constructor(readonly mode: Mode = DEFAULT_MODE) {
    super();
  }
}

const READ_MODELS = [ledgerPeriodProjection, ledgerEntryProjection, ledgerDayProjection, partnerProjection];

@QueryHandler(GetPeriods)
export class GetPeriodsHandler implements IQueryHandler<GetPeriods> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly readModels: ReadModels,
    private readonly clock: Clock,
  ) {}

  async execute({ mode }: GetPeriods): Promise<Periods> {
    await this.readModels.waitForLog(READ_MODELS, DOCUMENT_WAIT_MS);
    await refuseSetAside(this.pool, [`${LEDGER_STREAMS.category}-${mode}`]);
    await using read = await readSnapshot(this.pool, async (snapshot) => ({
      rows: await closedPeriods(snapshot, mode),
      wallets: await firstDayOfWallets(snapshot, mode),
      entries: await entryCounts(snapshot, mode, [FIRST_DAY, LAST_DAY]),
    }));
    const { rows, wallets, entries } = read;
    const closed = new Map(rows.map((row) => [row.period, row]));
    const next = nextToClose({ closed, first_day: entries.first_day }, wallets);
    const open = openMonths(next, this.clock.iso()).map(({ name }) => ({ period: name, mode, closed: null }));
    return { mode, periods: [...rows.map((row) => ({ period: row.period, mode, closed: row })), ...open] };
  }
}

/** Returns the months from one through that of a moment. */
function openMonths(first: Month | null, at: string): Month[] {
  const months: Month[] = [];
  for (let month = first; month && month.from <= at; month = monthAfter(month)) months.push(month);
  return months;
}
