import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { Appender } from '../demo-log/appender.js';
import { KINDS } from '../demo-log/kinds.js';
import { Round } from '../demo-log/round.js';
import { eventCatalogue } from '../../src/stores/event-catalogue.js';
import { type Head } from '../../src/platform/event-sourcing/writing/batch.js';
import { Codec } from '../../src/platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { type DataKeys } from '../../src/platform/key-store/data-keys.js';
import { DEFAULT_PRICE_BOOK } from '../../src/contexts/pricing/domain/price-book.js';
import { type WalletEvent } from '../../src/contexts/wallet/domain/events.js';
import { walletDecider, type WalletState } from '../../src/contexts/wallet/domain/wallet.js';
import { type WalletCommand } from '../../src/contexts/wallet/domain/wallet-command.js';

// Fills a wallet with a number of entries through the decider of the wallet: charges and their settlements, in the hash chain.

const CHARGES_PER_SETTLEMENT = 31;
/** Entries of one append. */
const ENTRIES_PER_ROUND = 256;
const BREAKDOWN = { 'svc_fee.identity': DEFAULT_PRICE_BOOK.fees_kobo['svc_fee.identity'] };

const { values } = parseArgs({
  options: { url: { type: 'string' }, partner: { type: 'string' }, farmer: { type: 'string' }, entries: { type: 'string' } },
});
const { url = '', partner = '', farmer = '', entries = '0' } = values;
const eventStore = new EventStore(url, { stallTimeoutMs: 60_000 });
// No event of a wallet is encrypted, so no data key is ever requested.
const codec = new Codec(eventCatalogue, {} as DataKeys);
const appender = new Appender(eventStore, () => undefined);
let head = await read();
while (head.revision + 1n < BigInt(entries)) head = await fill(head, Number(BigInt(entries) - head.revision - 1n));
await appender.finish();
process.stdout.write(`${JSON.stringify({ entries: Number(head.revision) + 1 })}\n`);
process.exit(0);

/** Reads the few entries that the wallet has so far. */
async function read(): Promise<Head<WalletState>> {
  let found: Head<WalletState> = { state: walletDecider.initialState, revision: -1n, hash: undefined };
  for (const { type, data, revision, metadata } of await codec.decode(await eventStore.readStream(`wallet-${partner}`))) {
    const state = walletDecider.evolve(found.state, { type, data, revision } as unknown as WalletEvent & { revision: bigint });
    found = { state, revision, hash: metadata.hash };
  }
  return found;
}

async function fill(from: Head<WalletState>, left: number): Promise<Head<WalletState>> {
  const at = new Date().toISOString();
  const round = new Round(0, () => at);
  let current = from;
  const execute = (command: WalletCommand): void => {
    current = round.decide(KINDS.wallet, partner, current, command, { correlationId: randomUUID(), mode: 'live' });
  };
  const about = { partner_id: partner, at, actor: 'bench' };
  const wanted = Math.min(ENTRIES_PER_ROUND, left);
  while (round.events < wanted) {
    const lookups = Array.from({ length: Math.max(1, Math.min(CHARGES_PER_SETTLEMENT, wanted - round.events - 1)) }, () => randomUUID());
    for (const lookup_id of lookups) {
      // A wallet's first lookup of a farmer grants the consent.
      const grants_consent = current.revision === 0n;
      execute({
        kind: 'charge',
        ...about,
        lookups: [{ lookup_id, rupa_id: farmer, breakdown_kobo: BREAKDOWN, grants_consent }],
        source: 'loan',
        price_book_version: 1,
        key_id: 'bench',
      });
    }
    execute({ kind: 'settle', ...about, lookup_ids: lookups });
  }
  for (const append of round.appends.values()) await appender.add({ ...append, events: await codec.encode(append.stream, append.events) });
  return current;
}
