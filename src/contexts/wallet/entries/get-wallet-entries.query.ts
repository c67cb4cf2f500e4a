import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { walletEntryProjection } from '../../../../projections/wallet-entry/wallet-entry.projection.js';
import { breakdownOf } from '../../../../projections/wallet-entry/fees-of-entry.js';
import { filteredEntries } from '../../../../projections/wallet-entry/filtered-entries.reader.js';
import { entriesFrom, lastEntryUpTo, lastRevision, type ListedEntry } from '../../../../projections/wallet-entry/wallet-entry.reader.js';
import { ReadModels } from '../../../platform/projecting/read-models.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { toKobo, toNaira } from '../../../kernel/money.js';
import { type WalletEvent, walletStreamOf } from '../domain/events.js';
import { type ManagedEntryView, type WalletEntries, type WalletEntryView } from '../wallet-responses.dto.js';

export const ENTRY_ORDERS = ['asc', 'desc'] as const;
export type EntryOrder = (typeof ENTRY_ORDERS)[number];

/** Selects entries by time (half-open, ISO 8601), type, farmer and amount in NGN, which is compared without its sign. */
export interface EntriesFilter {
  readonly recorded_from?: string | undefined;
  readonly recorded_to?: string | undefined;
  readonly type?: WalletEvent['type'] | undefined;
  readonly rupa_id?: string | undefined;
  readonly min_amount?: number | undefined;
  readonly max_amount?: number | undefined;
}

/** Lists a wallet's entries from a revision on, oldest first, or from a revision back, newest first. Without a revision: all. */
export class GetWalletEntries extends Query<WalletEntries> {
  constructor(
    readonly partnerId: string,
    readonly from: number | undefined,
    readonly limit: number,
    readonly order: EntryOrder = 'asc',
    readonly filter: EntriesFilter = {},
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

  async execute({ partnerId, from, limit, order, filter }: GetWalletEntries): Promise<WalletEntries> {
    await this.readModels.waitForStream(walletStreamOf(partnerId), [walletEntryProjection]);
    if (Object.values(filter).some((value) => value !== undefined)) return await this.filtered(partnerId, from, limit, order, filter);
    const rows = await entriesFrom(this.pool, partnerId, from ?? (order === 'asc' ? 0 : Number.MAX_SAFE_INTEGER), order, limit + 1);
    const next = rows[limit]?.revision ?? null;
    return { entries: rows.slice(0, limit).map(managedView), next };
  }

  private async filtered(
    partnerId: string,
    from: number | undefined,
    limit: number,
    order: EntryOrder,
    { recorded_from, recorded_to, type, rupa_id, min_amount, max_amount }: EntriesFilter,
  ): Promise<WalletEntries> {
    const first = recorded_from === undefined ? 0 : (await this.lastBefore(partnerId, recorded_from)) + 1;
    const end = recorded_to === undefined ? await lastRevision(this.pool, partnerId) : await this.lastBefore(partnerId, recorded_to);
    const last = end ?? -1;
    const range = order === 'asc' ? { first: Math.max(first, from ?? 0), last } : { first, last: Math.min(last, from ?? last) };
    const amounts = { minKobo: koboOf(min_amount), maxKobo: koboOf(max_amount) };
    const { rows, next } = await filteredEntries(this.pool, partnerId, range, order, { rupaId: rupa_id, type, ...amounts }, limit);
    return { entries: rows.map(managedView), next };
  }

  /** Returns the revision of the last entry before a time; -1 if there is none. */
  private async lastBefore(partnerId: string, time: string): Promise<number> {
    return (await lastEntryUpTo(this.pool, partnerId, '<', time))?.revision ?? -1;
  }
}

function koboOf(naira: number | undefined): number | undefined {
  return naira === undefined ? undefined : toKobo(naira);
}

/** Returns an entry as administrators and `rupa wallet replay --format json` see it. */
export function managedView(row: ListedEntry): ManagedEntryView {
  const { hash, ...entry } = entryView(row);
  return { ...entry, actor: row.actor, hash };
}

/** Returns an entry as its partner sees it, with amounts in NGN. */
export function entryView({ amount_kobo, balance_after_kobo, ...row }: ListedEntry): WalletEntryView {
  const { revision, type, recorded_at, lookup_id, rupa_id, reason, reference, hash } = row;
  const breakdown_kobo = breakdownOf(row);
  const breakdown = breakdown_kobo && Object.fromEntries(Object.entries(breakdown_kobo).map(([key, fee]) => [key, toNaira(fee)]));
  const [amount, balance_after] = [toNaira(amount_kobo), toNaira(balance_after_kobo)];
  return { revision, type, recorded_at, amount, balance_after, lookup_id, rupa_id, breakdown, reason, reference, hash };
}
