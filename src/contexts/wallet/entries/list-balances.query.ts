import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { walletEntryProjection } from '../../../../projections/wallet-entry/wallet-entry.projection.js';
import { balancesBetween, lastEntryUpTo, lastRevision } from '../../../../projections/wallet-entry/wallet-entry.reader.js';
import { endOfDay } from '../../../http/validating/paging.js';
import { toNaira } from '../../../kernel/money.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { ReadModels } from '../../../platform/projecting/read-models.js';
import { walletStreamOf } from '../domain/events.js';
import { type WalletBalances } from '../wallet-responses.dto.js';

export interface BalancePeriod {
  /** ISO 8601; the first entry that is shown is the last one before. Default: the wallet's first entry. */
  readonly from?: string | undefined;
  /** ISO 8601, inclusive; a date ends at its end (UTC). Default: now. */
  readonly to?: string | undefined;
}

/** Returns a wallet's balance over a period, by entries at equal distances, so that the number of points is limited whatever the wallet's length. */
export class ListBalances extends Query<WalletBalances> {
  constructor(
    readonly partnerId: string,
    readonly period: BalancePeriod,
    readonly points: number,
  ) {
    super();
  }
}

@QueryHandler(ListBalances)
export class ListBalancesHandler implements IQueryHandler<ListBalances> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly readModels: ReadModels,
  ) {}

  async execute({ partnerId, period: { from, to }, points }: ListBalances): Promise<WalletBalances> {
    await this.readModels.waitForStream(walletStreamOf(partnerId), [walletEntryProjection]);
    const end = endOfDay(to);
    const last = end === undefined ? await lastRevision(this.pool, partnerId) : await this.lastUpTo(partnerId, end);
    if (last === undefined) return { balances: [], every: 1 };
    const first = from === undefined ? 0 : ((await this.lastUpTo(partnerId, from)) ?? 0);
    const every = Math.max(1, Math.ceil((last - first) / (points - 1)));
    const found = await balancesBetween(this.pool, partnerId, first, last, every);
    const balances = found.map(({ revision, recorded_at, balance_after_kobo }) => ({
      revision,
      recorded_at,
      balance: toNaira(balance_after_kobo),
    }));
    return { balances, every };
  }

  private async lastUpTo(partnerId: string, time: string): Promise<number | undefined> {
    return (await lastEntryUpTo(this.pool, partnerId, '<=', time))?.revision;
  }
}
