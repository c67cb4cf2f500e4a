import { Injectable } from '@nestjs/common';
import { Codec } from '../../platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../platform/event-sourcing/event-store.js';
import { StreamWriter } from '../../platform/event-sourcing/writing/stream-writer.js';
import { Clock } from '../../kernel/clock.js';
import { SystemClock } from '../../platform/system-clock.js';
import { type WalletEvent } from './domain/events.js';
import { mergeSettlements, replayFrom, walletDecider, type WalletState } from './domain/wallet.js';
import { type WalletCommand } from './domain/wallet-command.js';

/** Charges that one settlement closes. More would save little, and each of them is one more open charge to copy with every charge. */
const MAX_SETTLEMENTS = 64;

export const WALLET_STREAM = {
  category: 'wallet',
  decider: walletDecider,
  chained: true,
  maxCommandsPerAppend: 256,
  maxBytesPerAppend: 512 * 1024,
  cachedStates: 10_000,
  replayFrom,
  atRevision: (state: WalletState, revision: bigint): WalletState => (state.revision === revision ? state : { ...state, revision }),
  maxDeferred: MAX_SETTLEMENTS,
  merge: mergeSettlements,
} as const;

/**
 * Wallet streams are long and written often, so the states of the most recent ones are cached, and a state that is not cached is folded
 * from the last entries only (docs/adr/0002).
 */
@Injectable()
export class WalletStream extends StreamWriter<WalletState, WalletCommand, WalletEvent> {
  constructor(eventStore: EventStore, codec: Codec, clock: Clock = new SystemClock()) {
    super(eventStore, codec, WALLET_STREAM, clock);
  }
}
