import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { toNaira } from '../../../kernel/money.js';
import { Codec } from '../../../platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../../platform/event-sourcing/event-store.js';
import { GENESIS_HASH } from '../../../platform/event-sourcing/stream-kind.js';
import { GenuineEvents } from '../../../platform/unusable-events/genuine-events.js';
import { type WalletEvent, walletStreamOf } from '../domain/events.js';
import { type OwnWalletHead } from '../wallet-responses.dto.js';

/** Returns the last entry of a wallet from the log; of an untouched wallet -1, 64 zeros, 0 and null (decisions, "Your account"). */
export class GetWalletHead extends Query<OwnWalletHead> {
  constructor(readonly partnerId: string) {
    super();
  }
}

@QueryHandler(GetWalletHead)
export class GetWalletHeadHandler implements IQueryHandler<GetWalletHead> {
  private readonly genuine: GenuineEvents;

  constructor(eventStore: EventStore, codec: Codec) {
    this.genuine = new GenuineEvents(eventStore, codec);
  }

  async execute({ partnerId }: GetWalletHead): Promise<OwnWalletHead> {
    const last = await this.genuine.last(walletStreamOf(partnerId));
    if (!last) return { revision: -1, hash: GENESIS_HASH, balance: 0, recorded_at: null };
    const { balance_after_kobo, recorded_at } = last.data as unknown as WalletEvent['data'];
    return { revision: Number(last.revision), hash: last.metadata.hash ?? '', balance: toNaira(balance_after_kobo), recorded_at };
  }
}
