import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { StoreUnavailable } from '../../platform/event-sourcing/event-store.js';
import { Clock } from '../../kernel/clock.js';
import { ReadModels } from '../../platform/projecting/read-models.js';
import { POOL } from '../../platform/injection-tokens.js';

/** The totals of an account in integer kobo. They are bigints, because a sum over all wallets may exceed the safe integers. */
export interface AccountTotals {
  readonly account: string;
  readonly debit_kobo: bigint;
  readonly credit_kobo: bigint;
  /** Debits minus credits: positive for assets, negative for liabilities and income. */
  readonly balance_kobo: bigint;
}

export interface TrialBalance {
  /** The last day (UTC) that is counted. */
  readonly at: string;
  readonly accounts: readonly AccountTotals[];
  readonly total_debit_kobo: bigint;
  readonly total_credit_kobo: bigint;
  /** Total debits minus total credits. Any value but 0 is an error in the books. */
  readonly difference_kobo: bigint;
}

/** Returns every account's totals up to the end of the day (UTC) of `at`, an ISO 8601 date or time, or of today. */
export class GetTrialBalance extends Query<TrialBalance> {
  constructor(readonly at?: string) {
    super();
  }
}

const CATCH_UP_TIMEOUT_MS = 10_000;

@QueryHandler(GetTrialBalance)
export class GetTrialBalanceHandler implements IQueryHandler<GetTrialBalance> {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly readModels: ReadModels,
    private readonly clock: Clock,
  ) {}

  async execute({ at = this.clock.iso() }: GetTrialBalance): Promise<TrialBalance> {
    if (!(await this.readModels.waitForAll(CATCH_UP_TIMEOUT_MS))) throw new StoreUnavailable('The ledger is behind the event log.');
    const day = new Date(at).toISOString().slice(0, 10);
    const { rows } = await this.pool.query<{ account: string; debit_kobo: string; credit_kobo: string }>(
      `select account, sum(debit_kobo) as debit_kobo, sum(credit_kobo) as credit_kobo
       from read.ledger_day where day <= $1 group by account order by account collate "C"`,
      [day],
    );
    return trialBalance(day, rows);
  }
}

function trialBalance(at: string, rows: readonly { account: string; debit_kobo: string; credit_kobo: string }[]): TrialBalance {
  const accounts = rows.map(({ account, ...sums }) => {
    const [debit_kobo, credit_kobo] = [BigInt(sums.debit_kobo), BigInt(sums.credit_kobo)];
    return { account, debit_kobo, credit_kobo, balance_kobo: debit_kobo - credit_kobo };
  });
  const total_debit_kobo = accounts.reduce((sum, { debit_kobo }) => sum + debit_kobo, 0n);
  const total_credit_kobo = accounts.reduce((sum, { credit_kobo }) => sum + credit_kobo, 0n);
  return { at, accounts, total_debit_kobo, total_credit_kobo, difference_kobo: total_debit_kobo - total_credit_kobo };
}
