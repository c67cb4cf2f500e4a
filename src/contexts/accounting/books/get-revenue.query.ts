import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { ledgerDayProjection } from '../../../../projections/ledger-day/ledger-day.projection.js';
import { revenueByDay } from '../../../../projections/ledger-day/ledger-day.reader.js';
import { partnerProjection } from '../../../../projections/partner/partner.projection.js';
import { DEFAULT_MODE, type Mode } from '../../../kernel/accounts.js';
import { Clock } from '../../../kernel/clock.js';
import { type DayPeriod, FIRST_DAY } from '../domain/books-period.js';
import { type Revenue, type RevenueGroup } from '../domain/revenue.js';
import { type AsOf, ReportReads } from './report-reads.js';

export interface RevenueReport extends AsOf {
  readonly mode: Mode;
  /** The first day (UTC) that is counted; null for the beginning of the books. */
  readonly from: string | null;
  /** The last day (UTC) that is counted. */
  readonly to: string;
  readonly by: readonly RevenueGroup[];
  readonly groups: readonly Revenue[];
}

/** Returns what the service earned over the wallets of one mode, in a period (finance, "Reports"). */
export class GetRevenue extends Query<RevenueReport> {
  constructor(
    readonly mode: Mode = DEFAULT_MODE,
    readonly period: DayPeriod = {},
    readonly by: readonly RevenueGroup[] = ['section'],
  ) {
    super();
  }
}

const READ_MODELS = [ledgerDayProjection, partnerProjection];

@QueryHandler(GetRevenue)
export class GetRevenueHandler implements IQueryHandler<GetRevenue> {
  constructor(
    private readonly reads: ReportReads,
    private readonly clock: Clock,
  ) {}

  async execute({ mode, period, by }: GetRevenue): Promise<RevenueReport> {
    await using read = await this.reads.from(READ_MODELS, async (snapshot) => {
      const { from = null, to = this.clock.iso().slice(0, 10) } = period;
      return { from, to, groups: await revenueByDay(snapshot, mode, [from ?? FIRST_DAY, to], by) };
    });
    const { from, to, as_of_index, groups } = read;
    return { mode, from, to, as_of_index, by, groups };
  }
}
