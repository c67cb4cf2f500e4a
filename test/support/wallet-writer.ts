import { WalletWriter } from '../../src/contexts/wallet/wallet-writer.js';
import { type WalletStream } from '../../src/contexts/wallet/wallet-stream.js';
import { type Clock } from '../../src/kernel/clock.js';
import { type InstancePresence } from '../../src/platform/database/instance-presence.js';
import { type EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { NoPeers } from '../../src/platform/peers/peer-calls.js';
import { SystemClock } from '../../src/platform/system-clock.js';

/** Returns the writer of an API that has no others beside it. Such a writer never reads the log itself. */
export function writerAlone(wallets: WalletStream, presence: InstancePresence, clock: Clock = new SystemClock()): WalletWriter {
  return new WalletWriter(wallets, presence, new NoPeers(), clock, {} as EventStore);
}
