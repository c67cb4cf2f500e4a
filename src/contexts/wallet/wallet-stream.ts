import { Injectable } from '@nestjs/common';
import { Codec } from '../../platform/event-sourcing/codec.js';
import { EventStore } from '../../platform/event-sourcing/event-store.js';
import { StreamWriter } from '../../platform/event-sourcing/stream-writer.js';
import { Clock } from '../../kernel/clock.js';
import { SystemClock } from '../../platform/system-clock.js';
import { type WalletEvent } from './domain/events.js';
import { mergeSettlements, replayFrom, type WalletCommand, walletDecider, type WalletState } from './domain/wallet.js';

/** Wallets are long and hot: their states are kept, and a cold one is folded from its last entries only. */
@Injectable()
export class WalletStream extends StreamWriter<WalletState, WalletCommand, WalletEvent> {
  constructor(eventStore: EventStore, codec: Codec, clock: Clock = new SystemClock()) {
    const kind = {
      category: 'wallet',
      decider: walletDecider,
      chained: true,
      maxCommandsPerAppend: 256,
      maxBytesPerAppend: 512 * 1024,
      statesHeld: 10_000,
      replayFrom,
      merge: mergeSettlements,
    };
    super(eventStore, codec, kind, clock);
  }
}
