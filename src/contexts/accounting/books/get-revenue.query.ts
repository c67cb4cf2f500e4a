import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { ledgerDayProjection } from '../../../../projections/ledger-day/ledger-day.projection.js';
import { revenueByDay } from '../../../../projections/ledger-day/ledger-day.reader.js';
import { partnerProjection } from '../../../../projections/partner/partner.projection.js';
import { DEFAULT_MODE, type Mode } from '../../../kernel/accounts.js';
import { Clock } from '../../../kernel/clock.js';
import { readSnapshot } from '../../../platform/database/held-rows.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { computedUpTo } from '../../../platform/projecting/checkpoints.js';
import { DOCUMENT_WAIT_MS, ReadModels } from '../../../platform/projecting/read-models.js';
import { LogIndex } from '../../evidence/public.js';
import { type DayPeriod, FIRST_DAY } from '../domain/books-period.js';
import { type Revenue, type RevenueGroup } from '../domain/revenue.js';

export interface RevenueReport {
  readonly mode: Mode;
  /** The first day (UTC) that is counted; null for the beginning of the books. */
  readonly from: string | null;
  /** The last day (UTC) that is counted. */
  readonly to: string;
  /** Index of the last event of the log that was read; null if it is not known. */
  readonly as_of_index: number | null;
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
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly readModels: ReadModels,
    private readonly clock: Clock,
    private readonly logIndex: LogIndex,
  ) {}

  async execute({ mode, period, by }: GetRevenue): Promise<RevenueReport> {
    await this.readModels.waitForLog(READ_MODELS, DOCUMENT_WAIT_MS);
    const { from = null, to = this.clock.iso().slice(0, 10) } = period;
    const names = READ_MODELS.map(({ name }) => name);
    await using read = await readSnapshot(this.pool, async (snapshot) => ({
      groups: await revenueByDay(snapshot, mode, [from ?? FIRST_DAY, to], by),
      as_of_index: await this.logIndex.at(snapshot, await computedUpTo(snapshot, names)),
    }));
    return { mode, from, to, as_of_index: read.as_of_index, by, groups: read.groups };
  }
}
