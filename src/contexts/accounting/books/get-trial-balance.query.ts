import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { entrySums } from '../../../../projections/ledger-entry/ledger-entry.reader.js';
import { ledgerEntryProjection } from '../../../../projections/ledger-entry/ledger-entry.projection.js';
import { ledgerDayProjection } from '../../../../projections/ledger-day/ledger-day.projection.js';
import { partnerProjection } from '../../../../projections/partner/partner.projection.js';
import { movementsBetween } from '../../../../projections/wallet-entry/books.reader.js';
import { walletEntryProjection } from '../../../../projections/wallet-entry/wallet-entry.projection.js';
import { DEFAULT_MODE, type Mode } from '../../../kernel/accounts.js';
import { Clock } from '../../../kernel/clock.js';
import { ClosedDays } from './closed-days.js';
import { type AccountMovement, lessMovements, type Movements, movementsOf, sumOf, withEntries } from '../domain/account-totals.js';
import { type BooksPeriod, dayBefore, momentOf } from '../domain/books-period.js';
import { type AsOf, ReportReads } from './report-reads.js';

export interface TrialBalance extends AsOf {
  readonly mode: Mode;
  /** The first day of the period (UTC), before which everything is in the opening balances; null for the beginning of the books. */
  readonly from: string | null;
  /** The last moment that is counted, ISO 8601. */
  readonly at: string;
  readonly accounts: readonly AccountMovement[];
  /** The sums over all accounts. Any opening or closing balance but 0 is an error in the books. */
  readonly total: Movements;
}

/**
 * Returns every account's balances and movements over the wallets and the ledger entries of one mode, in a period (finance, "Reports"). Each
 * mode has books of its own.
 */
export class GetTrialBalance extends Query<TrialBalance> {
  constructor(
    readonly mode: Mode = DEFAULT_MODE,
    readonly period: BooksPeriod = {},
  ) {
    super();
  }
}

const READ_MODELS = [ledgerDayProjection, walletEntryProjection, ledgerEntryProjection, partnerProjection];

@QueryHandler(GetTrialBalance)
export class GetTrialBalanceHandler implements IQueryHandler<GetTrialBalance> {
  constructor(
    private readonly days: ClosedDays,
    private readonly reads: ReportReads,
    private readonly clock: Clock,
  ) {}

  async execute({ mode, period }: GetTrialBalance): Promise<TrialBalance> {
    const { from = null } = period;
    await using read = await this.reads.from(READ_MODELS, async (snapshot) => {
      const at = momentOf(period.to ?? period.at ?? this.clock.iso());
      const day = at.slice(0, 10);
      const nowMs = this.clock.now().getTime();
      const entries = await entrySums(snapshot, mode, day);
      const before = from === null ? [] : await this.days.through(snapshot, mode, dayBefore(from), nowMs);
      const days = await this.days.through(snapshot, mode, day, nowMs);
      // For a moment that is now, or at the end of a day, there are none.
      const later = await movementsBetween(snapshot, mode, at, `${day}T23:59:59.999Z`);
      const opening = from === null ? [] : withEntries(before, entries, dayBefore(from));
      return { at, accounts: movementsOf(opening, withEntries(lessMovements(days, later), entries, day)) };
    });
    const { at, as_of_index, accounts } = read;
    return { mode, from, at, as_of_index, accounts, total: sumOf(accounts) };
  }
}
