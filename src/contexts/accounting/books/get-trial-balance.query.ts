import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { movementsBetween } from '../../../../projections/wallet-entry/books.reader.js';
import { type Mode } from '../../../kernel/accounts.js';
import { readSnapshot } from '../../../platform/database/held-rows.js';
import { StoreUnavailable } from '../../../platform/event-sourcing/event-store.js';
import { Clock } from '../../../kernel/clock.js';
import { ReadModels } from '../../../platform/projecting/read-models.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { ClosedDays } from './closed-days.js';
import { type AccountTotals, lessMovements } from '../domain/account-totals.js';

export interface TrialBalance {
  readonly mode: Mode;
  /** The last moment that is counted, ISO 8601. */
  readonly at: string;
  readonly accounts: readonly AccountTotals[];
  readonly total_debit_kobo: bigint;
  readonly total_credit_kobo: bigint;
  /** Total debits minus total credits. Any value but 0 is an error in the books. */
  readonly difference_kobo: bigint;
}

/** Returns every account's totals over the wallets of one mode, up to a moment. Each mode has books of its own. */
export class GetTrialBalance extends Query<TrialBalance> {
  constructor(
    readonly mode: Mode = 'live',
    /** ISO 8601 timestamp, or a date for the end of that day (UTC). Default: now. */
    readonly at?: string,
  ) {
    super();
  }
}

const CATCH_UP_TIMEOUT_MS = 10_000;

@QueryHandler(GetTrialBalance)
export class GetTrialBalanceHandler implements IQueryHandler<GetTrialBalance> {
  private readonly days = new ClosedDays();

  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly readModels: ReadModels,
    private readonly clock: Clock,
  ) {}

  async execute({ mode, at: asked = this.clock.iso() }: GetTrialBalance): Promise<TrialBalance> {
    if (!(await this.readModels.waitForAll(CATCH_UP_TIMEOUT_MS))) throw new StoreUnavailable('The ledger is behind the event log.');
    const at = momentOf(asked);
    await using read = await readSnapshot(this.pool, async (snapshot) => ({
      days: await this.days.through(snapshot, mode, at.slice(0, 10), this.clock.now().getTime()),
      // For a moment that is now, or at the end of a day, there are none.
      later: await movementsBetween(snapshot, mode, at, `${at.slice(0, 10)}T23:59:59.999Z`),
    }));
    const accounts = lessMovements(read.days, read.later).toSorted((one, other) => (one.account < other.account ? -1 : 1));
    return trialBalance(mode, at, accounts);
  }
}

/** Returns the moment of a timestamp, or the last millisecond of a date. Entries are dated in whole milliseconds. */
function momentOf(at: string): string {
  return at.includes('T') ? new Date(at).toISOString() : `${at}T23:59:59.999Z`;
}

function trialBalance(mode: Mode, at: string, accounts: readonly AccountTotals[]): TrialBalance {
  const total_debit_kobo = accounts.reduce((sum, { debit_kobo }) => sum + debit_kobo, 0n);
  const total_credit_kobo = accounts.reduce((sum, { credit_kobo }) => sum + credit_kobo, 0n);
  return { mode, at, accounts, total_debit_kobo, total_credit_kobo, difference_kobo: total_debit_kobo - total_credit_kobo };
}
