import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { walletEntryProjection } from '../../../../projections/wallet-entry/wallet-entry.projection.js';
import { lastEntryUpTo } from '../../../../projections/wallet-entry/wallet-entry.reader.js';
import { Codec } from '../../../platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../../platform/event-sourcing/event-store.js';
import { ReadModels } from '../../../platform/projecting/read-models.js';
import { GenuineEvents } from '../../../platform/unusable-events/genuine-events.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { type WalletEvent, walletStreamOf } from '../domain/events.js';

export interface WalletBalance {
  readonly balance_kobo: number;
  /** Revision of the last entry included in the balance; null if there is none. */
  readonly revision: number | null;
}

/** Reads the current balance from the log, or the balance as of a time (ISO 8601, inclusive) from the read model. */
export class GetWalletBalance extends Query<WalletBalance> {
  constructor(
    readonly partnerId: string,
    readonly at?: string,
  ) {
    super();
  }
}

@QueryHandler(GetWalletBalance)
export class GetWalletBalanceHandler implements IQueryHandler<GetWalletBalance> {
  private readonly genuine: GenuineEvents;

  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    eventStore: EventStore,
    codec: Codec,
    private readonly readModels: ReadModels,
  ) {
    this.genuine = new GenuineEvents(eventStore, codec);
  }

  async execute({ partnerId, at }: GetWalletBalance): Promise<WalletBalance> {
    if (at !== undefined) return await this.asOf(partnerId, at);
    const last = await this.genuine.last(walletStreamOf(partnerId));
    if (!last) return { balance_kobo: 0, revision: null };
    return { balance_kobo: (last.data as unknown as WalletEvent['data']).balance_after_kobo, revision: Number(last.revision) };
  }

  private async asOf(partnerId: string, at: string): Promise<WalletBalance> {
    await this.readModels.waitForStream(walletStreamOf(partnerId), [walletEntryProjection]);
    const last = await lastEntryUpTo(this.pool, partnerId, '<=', at);
    return last ? { balance_kobo: last.balance_after_kobo, revision: last.revision } : { balance_kobo: 0, revision: null };
  }
}
