import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { endOfDay } from '../../http/time-window.js';
import { toNaira } from '../../kernel/money.js';
import { FREE_CALLS_POOL } from '../../platform/injection-tokens.js';
import { ReadModels } from '../../platform/projecting/read-models.js';
import { walletStreamOf } from './domain/events.js';
import { lastEntryUpTo } from './last-entry.js';
import { type WalletBalances } from './wallet-responses.dto.js';

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

interface Row {
  readonly revision: number;
  readonly recorded_at: string;
  readonly balance_after_kobo: number;
}

const UP_TO = lastEntryUpTo('revision', '<=');
const LAST = 'select revision from read.wallet_entry where partner_id = $1 order by revision desc limit 1';

/** Each point is read through the primary key. The last entry of the period is one of them. */
const POINTS = `select e.revision, e.recorded_at, e.balance_after_kobo
  from (select generate_series($2::bigint, $3::bigint, $4::bigint) union select $3::bigint) r(revision)
  join read.wallet_entry e on e.partner_id = $1 and e.revision = r.revision order by e.revision`;

@QueryHandler(ListBalances)
export class ListBalancesHandler implements IQueryHandler<ListBalances> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly readModels: ReadModels,
  ) {}

  async execute({ partnerId, period: { from, to }, points }: ListBalances): Promise<WalletBalances> {
    await this.readModels.waitForStream(walletStreamOf(partnerId));
    const end = endOfDay(to);
    const last = end === undefined ? await this.revision(LAST, [partnerId]) : await this.revision(UP_TO, [partnerId, end]);
    if (last === undefined) return { balances: [], every: 1 };
    const first = from === undefined ? 0 : ((await this.revision(UP_TO, [partnerId, from])) ?? 0);
    const every = Math.max(1, Math.ceil((last - first) / (points - 1)));
    const { rows } = await this.pool.query<Row>(POINTS, [partnerId, first, last, every]);
    const balances = rows.map(({ revision, recorded_at, balance_after_kobo }) => ({
      revision,
      recorded_at,
      balance: toNaira(balance_after_kobo),
    }));
    return { balances, every };
  }

  private async revision(text: string, values: readonly string[]): Promise<number | undefined> {
    const { rows } = await this.pool.query<{ revision: number }>(text, [...values]);
    return rows[0]?.revision;
  }
}
