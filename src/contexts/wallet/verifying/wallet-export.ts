import { Injectable } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { type Body, LargeBodies } from '../../../http/limiting/large-bodies.js';
import { jsonLine } from '../../../kernel/json.js';
import { GENESIS_HASH } from '../../../platform/event-sourcing/stream-kind.js';
import { Codec } from '../../../platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../../platform/event-sourcing/event-store.js';
import { type StoredEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { SkippedEvents, type StreamSource } from '../../../platform/unusable-events/skipped-events.js';
import { walletStreamOf } from '../domain/events.js';

/** Entries per read, few enough that making their lines delays no other call. */
const PAGE = 250;

/** Sends the export of a wallet over HTTP, with the bytes that `rupa wallet export` writes. */
@Injectable()
export class WalletExport {
  constructor(
    private readonly eventStore: EventStore,
    private readonly codec: Codec,
    private readonly bodies: LargeBodies,
  ) {}

  async send(reply: FastifyReply, partnerId: string): Promise<Body> {
    return await this.bodies.lines(reply, exportTexts(this.codec, this.eventStore, walletStreamOf(partnerId)), `wallet-${partnerId}.jsonl`);
  }
}

/**
 * Yields the lines of a wallet, page by page, as docs/audit.md describes them. They are entries in full, never upcast, because the hash
 * covers these.
 * @param onEntry is called for each entry that is part of the chain
 */
export async function* exportTexts(
  codec: Codec,
  eventStore: StreamSource,
  stream: string,
  onEntry: (entry: StoredEvent) => void = () => undefined,
): AsyncGenerator<string> {
  const skipped = new SkippedEvents(eventStore);
  let previous = GENESIS_HASH;
  for await (const page of eventStore.streamPages(stream, 0n, PAGE)) {
    const unusable = new Set(codec.sort(page).unusable.map(({ event }) => event));
    let lines = '';
    for (const entry of page) {
      if (unusable.has(entry)) {
        // No entry builds upon an event that cannot be used. It is shown as it is, with the operator's decision, if there is one.
        lines += exportLine(entry, previous, await skipped.has(entry));
        continue;
      }
      lines += exportLine(codec.inFull(entry), previous);
      previous = entry.metadata.hash ?? '';
      onEntry(entry);
    }
    yield lines;
  }
}

function exportLine({ stream, revision, type, data, metadata }: StoredEvent, previous: string, isSkipped = false): string {
  // The data and metadata of an event that cannot be used may be anything.
  const { prev_hash = previous, hash } = (metadata as Partial<StoredEvent['metadata']> | null | undefined) ?? {};
  const { recorded_at } = (data as Partial<StoredEvent['data']> | null | undefined) ?? {};
  const skipped = isSkipped ? { skipped: true } : {};
  return jsonLine({ stream, revision: Number(revision), type, recorded_at, data, prev_hash, hash, ...skipped });
}
