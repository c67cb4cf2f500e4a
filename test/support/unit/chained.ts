import { chainHash, GENESIS_HASH } from '../../../src/platform/event-sourcing/stream-kind.js';
import { type ChainedEntry } from '../../../src/contexts/wallet/domain/verify-wallet.js';

/** Returns the events as they are stored for the partner p1, each with the hash of all events before it. */
export function chained(events: readonly { readonly type: string; readonly data: object | null }[], stream = 'wallet-p1'): ChainedEntry[] {
  let previous = GENESIS_HASH;
  return events.map(({ type, data }, index) => {
    const revision = BigInt(index);
    const hash = chainHash(previous, stream, revision, type, data ?? {});
    const entry = { stream, revision, type, data: data as Readonly<Record<string, unknown>>, metadata: { hash } };
    previous = hash;
    return entry;
  });
}
