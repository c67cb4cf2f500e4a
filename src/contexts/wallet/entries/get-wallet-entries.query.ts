import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { walletEntryProjection } from '../../../../projections/wallet-entry/wallet-entry.projection.js';
import { breakdownOf } from '../../../../projections/wallet-entry/fees-of-entry.js';
import { entriesFrom, type ListedEntry } from '../../../../projections/wallet-entry/wallet-entry.reader.js';
import { ReadModels } from '../../../platform/projecting/read-models.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { toNaira } from '../../../kernel/money.js';
import { walletStreamOf } from '../domain/events.js';
import { type WalletEntries, type WalletEntryView } from '../wallet-responses.dto.js';

export const ENTRY_ORDERS = ['asc', 'desc'] as const;
export type EntryOrder = (typeof ENTRY_ORDERS)[number];

/** Lists a wallet's entries from a revision on, oldest first, or from a revision back, newest first. Without a revision: all. */
export class GetWalletEntries extends Query<WalletEntries> {
  constructor(
    readonly partnerId: string,
    readonly from: number | undefined,
    readonly limit: number,
    readonly order: EntryOrder = 'asc',
  ) {
    super();
  }
}

@QueryHandler(GetWalletEntries)
export class GetWalletEntriesHandler implements IQueryHandler<GetWalletEntries> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly readModels: ReadModels,
  ) {}

  async execute({ partnerId, from, limit, order }: GetWalletEntries): Promise<WalletEntries> {
    await this.readModels.waitForStream(walletStreamOf(partnerId), [walletEntryProjection]);
    const rows = await entriesFrom(this.pool, partnerId, from ?? (order === 'asc' ? 0 : Number.MAX_SAFE_INTEGER), order, limit + 1);
    const next = rows[limit]?.revision ?? null;
    return { entries: rows.slice(0, limit).map(entryView), next };
  }
}

/** Returns an entry as the API and `rupa wallet replay --format json` show it, with amounts in NGN. */
export function entryView({ amount_kobo, balance_after_kobo, ...row }: ListedEntry): WalletEntryView {
  const { revision, type, recorded_at, lookup_id, rupa_id, reason, reference, hash } = row;
  const breakdown_kobo = breakdownOf(row);
  const breakdown = breakdown_kobo && Object.fromEntries(Object.entries(breakdown_kobo).map(([key, fee]) => [key, toNaira(fee)]));
  const [amount, balance_after] = [toNaira(amount_kobo), toNaira(balance_after_kobo)];
  return { revision, type, recorded_at, amount, balance_after, lookup_id, rupa_id, breakdown, reason, reference, hash };
}
