import { Injectable } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { type Body, LargeBodies } from '../../../http/limiting/large-bodies.js';
import { GENESIS_HASH } from '../../../platform/event-sourcing/hash-chain.js';
import { Codec } from '../../../platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../../platform/event-sourcing/event-store.js';
import { type StoredEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { SkippedEvents, type StreamSource } from '../../../platform/unusable-events/skipped-events.js';
import { walletStreamOf } from '../domain/events.js';

export const EXPORT_TYPE = 'application/x-ndjson';

/** Sends the export of a wallet over HTTP, with the bytes that `rupa wallet export` writes. */
@Injectable()
export class WalletExport {
  constructor(
    private readonly eventStore: EventStore,
    private readonly codec: Codec,
    private readonly bodies: LargeBodies,
  ) {}

  async send(reply: FastifyReply, partnerId: string): Promise<Body> {
    const pieces = exportTexts(this.codec, this.eventStore, walletStreamOf(partnerId));
    const body = await this.bodies.text(reply, pieces, pieces);
    reply.headers({ 'Content-Disposition': `attachment; filename="wallet-${partnerId}.jsonl"`, 'Cache-Control': 'no-store' });
    reply.type(`${EXPORT_TYPE}; charset=utf-8`);
    return body;
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
  for await (const page of eventStore.streamPages(stream)) {
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

/** Characters that some readers take for a line break are escaped, which does not change the meaning of the JSON. */
function exportLine({ stream, revision, type, data, metadata }: StoredEvent, previous: string, isSkipped = false): string {
  // The data and metadata of an event that cannot be used may be anything.
  const { prev_hash = previous, hash } = (metadata as Partial<StoredEvent['metadata']> | null | undefined) ?? {};
  const { recorded_at } = (data as Partial<StoredEvent['data']> | null | undefined) ?? {};
  const skipped = isSkipped ? { skipped: true } : {};
  const line = JSON.stringify({ stream, revision: Number(revision), type, recorded_at, data, prev_hash, hash, ...skipped });
  return `${line.replaceAll(/[\u0085\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}
