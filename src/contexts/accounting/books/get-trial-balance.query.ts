import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { entrySums } from '../../../../projections/ledger-entry/ledger-entry.reader.js';
import { ledgerEntryProjection } from '../../../../projections/ledger-entry/ledger-entry.projection.js';
import { ledgerDayProjection } from '../../../../projections/ledger-day/ledger-day.projection.js';
import { movementsBetween } from '../../../../projections/wallet-entry/books.reader.js';
import { walletEntryProjection } from '../../../../projections/wallet-entry/wallet-entry.projection.js';
import { DEFAULT_MODE, type Mode } from '../../../kernel/accounts.js';
import { readSnapshot } from '../../../platform/database/held-rows.js';
import { Clock } from '../../../kernel/clock.js';
import { computedUpTo } from '../../../platform/projecting/checkpoints.js';
import { DOCUMENT_WAIT_MS, ReadModels } from '../../../platform/projecting/read-models.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { LogIndex } from '../../evidence/public.js';
import { ClosedDays } from './closed-days.js';
import { type AccountMovement, lessMovements, type Movements, movementsOf, sumOf, withEntries } from '../domain/account-totals.js';
import { type BooksPeriod, dayBefore, momentOf } from '../domain/books-period.js';

export interface TrialBalance {
  readonly mode: Mode;
  /** The first day of the period (UTC), before which everything is in the opening balances; null for the beginning of the books. */
  readonly from: string | null;
  /** The last moment that is counted, ISO 8601. */
  readonly at: string;
  /** Index of the last event of the log that was read, of which those dated up to `at` count; null if it is not known. */
  readonly as_of_index: number | null;
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

const READ_MODELS = [ledgerDayProjection, walletEntryProjection, ledgerEntryProjection];

@QueryHandler(GetTrialBalance)
export class GetTrialBalanceHandler implements IQueryHandler<GetTrialBalance> {
  constructor(
    private readonly days: ClosedDays,
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly readModels: ReadModels,
    private readonly clock: Clock,
    private readonly logIndex: LogIndex,
  ) {}

  async execute({ mode, period }: GetTrialBalance): Promise<TrialBalance> {
    await this.readModels.waitForLog(READ_MODELS, DOCUMENT_WAIT_MS);
    const { from = null } = period;
    const at = momentOf(period.to ?? period.at ?? this.clock.iso());
    const day = at.slice(0, 10);
    const nowMs = this.clock.now().getTime();
    await using read = await readSnapshot(this.pool, async (snapshot) => ({
      before: from === null ? [] : await this.days.through(snapshot, mode, dayBefore(from), nowMs),
      days: await this.days.through(snapshot, mode, day, nowMs),
      // For a moment that is now, or at the end of a day, there are none.
      later: await movementsBetween(snapshot, mode, at, `${day}T23:59:59.999Z`),
      entries: await entrySums(snapshot, mode, day),
      as_of_index: await this.logIndex.at(
        snapshot,
        await computedUpTo(
          snapshot,
          READ_MODELS.map(({ name }) => name),
        ),
      ),
    }));
    const before = from === null ? [] : withEntries(read.before, read.entries, dayBefore(from));
    const accounts = movementsOf(before, withEntries(lessMovements(read.days, read.later), read.entries, day));
    return { mode, from, at, as_of_index: read.as_of_index, accounts, total: sumOf(accounts) };
  }
}
