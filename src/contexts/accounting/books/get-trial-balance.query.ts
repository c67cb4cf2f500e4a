import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
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
import { type AccountTotals, lessMovements } from '../domain/account-totals.js';

export interface TrialBalance {
  readonly mode: Mode;
  /** The last moment that is counted, ISO 8601. */
  readonly at: string;
  /** Index of the last event of the log that was read, of which those dated up to `at` count; null if it is not known. */
  readonly as_of_index: number | null;
  readonly accounts: readonly AccountTotals[];
  readonly total_debit_kobo: bigint;
  readonly total_credit_kobo: bigint;
  /** Total debits minus total credits. Any value but 0 is an error in the books. */
  readonly difference_kobo: bigint;
}

/** Returns every account's totals over the wallets of one mode, up to a moment. Each mode has books of its own. */
export class GetTrialBalance extends Query<TrialBalance> {
  constructor(
    readonly mode: Mode = DEFAULT_MODE,
    /** ISO 8601 timestamp, or a date for the end of that day (UTC). Default: now. */
    readonly at?: string,
  ) {
    super();
  }
}

const READ_MODELS = [ledgerDayProjection, walletEntryProjection];

@QueryHandler(GetTrialBalance)
export class GetTrialBalanceHandler implements IQueryHandler<GetTrialBalance> {
  private readonly days = new ClosedDays();

  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly readModels: ReadModels,
    private readonly clock: Clock,
    private readonly logIndex: LogIndex,
  ) {}

  async execute({ mode, at: asked = this.clock.iso() }: GetTrialBalance): Promise<TrialBalance> {
    await this.readModels.waitForLog(READ_MODELS, DOCUMENT_WAIT_MS);
    const at = momentOf(asked);
    await using read = await readSnapshot(this.pool, async (snapshot) => ({
      days: await this.days.through(snapshot, mode, at.slice(0, 10), this.clock.now().getTime()),
      // For a moment that is now, or at the end of a day, there are none.
      later: await movementsBetween(snapshot, mode, at, `${at.slice(0, 10)}T23:59:59.999Z`),
      as_of_index: await this.logIndex.at(
        snapshot,
        await computedUpTo(
          snapshot,
          READ_MODELS.map(({ name }) => name),
        ),
      ),
    }));
    const accounts = lessMovements(read.days, read.later).toSorted((one, other) => (one.account < other.account ? -1 : 1));
    return { mode, at, as_of_index: read.as_of_index, accounts, ...totals(accounts) };
  }
}

/** Returns the moment of a timestamp, or the last millisecond of a date. Entries are dated in whole milliseconds. */
function momentOf(at: string): string {
  return at.includes('T') ? new Date(at).toISOString() : `${at}T23:59:59.999Z`;
}

type Totals = Pick<TrialBalance, 'total_debit_kobo' | 'total_credit_kobo' | 'difference_kobo'>;

function totals(accounts: readonly AccountTotals[]): Totals {
  const total_debit_kobo = accounts.reduce((sum, { debit_kobo }) => sum + debit_kobo, 0n);
  const total_credit_kobo = accounts.reduce((sum, { credit_kobo }) => sum + credit_kobo, 0n);
  return { total_debit_kobo, total_credit_kobo, difference_kobo: total_debit_kobo - total_credit_kobo };
}
