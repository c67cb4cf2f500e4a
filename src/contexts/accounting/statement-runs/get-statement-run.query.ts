import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryBus, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { customerProjection } from '../../../../projections/customer/customer.projection.js';
import { customersBegunBefore } from '../../../../projections/customer/customer.reader.js';
import { partnerProjection } from '../../../../projections/partner/partner.projection.js';
import { walletEntryProjection } from '../../../../projections/wallet-entry/wallet-entry.projection.js';
import { DEFAULT_MODE, type Mode } from '../../../kernel/accounts.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { DOCUMENT_WAIT_MS, ReadModels } from '../../../platform/projecting/read-models.js';
import { GetPeriods } from '../closing/get-periods.query.js';
import { PeriodRejection } from '../domain/closing.js';
import { type Month } from '../domain/month.js';
import { type ClosedMonth } from '../domain/statements/statement-manifest.js';

/** A partner of whom a run has a statement. */
export interface PartnerOfRun {
  readonly partner_id: string;
  readonly customer_number: number;
}

/** All statements of a closed month, to be made one after another. */
export interface StatementRun {
  readonly month: Month;
  readonly closed: ClosedMonth;
  /** The partners that were registered by the month's end, by customer number. */
  readonly partners: readonly PartnerOfRun[];
}

/**
 * Returns whose statements a closed month has (finance, "Statements and invoices"). Raises Rejection `period_unknown` for a month that the
 * books do not have, and `period_open` for one that is not closed.
 * @throws ReadModelBehind, because a partner might be missing
 */
export class GetStatementRun extends Query<StatementRun> {
  constructor(
    readonly month: Month,
    readonly mode: Mode = DEFAULT_MODE,
  ) {
    super();
  }
}

@QueryHandler(GetStatementRun)
export class GetStatementRunHandler implements IQueryHandler<GetStatementRun> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly queries: QueryBus,
    private readonly readModels: ReadModels,
  ) {}

  async execute({ month, mode }: GetStatementRun): Promise<StatementRun> {
    const { periods } = await this.queries.execute(new GetPeriods(mode));
    const found = periods.find(({ period }) => period === month.name);
    if (!found) throw new PeriodRejection('period_unknown');
    if (!found.closed) throw new PeriodRejection('period_open');
    await this.readModels.waitForLog([partnerProjection, customerProjection, walletEntryProjection], DOCUMENT_WAIT_MS);
    const closed = { ...found.closed, mode, period: month.name };
    return { month, closed, partners: await customersBegunBefore(this.pool, mode, month.until) };
  }
}
