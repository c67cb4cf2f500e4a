import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { walletsRunningOut } from '../../../../projections/ledger-day/running-out.reader.js';
import { Clock } from '../../../kernel/clock.js';
import { toNaira } from '../../../kernel/money.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { paceAt, runsOutAt } from '../domain/running-out.js';

/** A live partner whose money is spent within a week if its charges go on as they did. Amounts in NGN. */
export interface RunningOut {
  readonly partner_id: string;
  readonly company_name: string;
  readonly balance: number;
  /** The charges of the seven days before today and of today so far, less what was given back. */
  readonly spent: number;
  /** ISO 8601, UTC. */
  readonly runs_out_at: string;
}

/** Returns the active live partners that run out of money within a week, the first one first. */
export class GetRunningOut extends Query<readonly RunningOut[]> {
  constructor(readonly limit: number) {
    super();
  }
}

@QueryHandler(GetRunningOut)
export class GetRunningOutHandler implements IQueryHandler<GetRunningOut> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly clock: Clock,
  ) {}

  async execute({ limit }: GetRunningOut): Promise<readonly RunningOut[]> {
    const at = this.clock.iso();
    const found = await walletsRunningOut(this.pool, paceAt(at), limit);
    return found.map(({ partner_id, company_name, balance_kobo, spent_kobo }) => ({
      partner_id,
      company_name,
      balance: toNaira(balance_kobo),
      spent: toNaira(spent_kobo),
      runs_out_at: runsOutAt(at, balance_kobo, spent_kobo),
    }));
  }
}
