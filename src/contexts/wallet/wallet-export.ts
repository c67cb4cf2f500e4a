import { Injectable } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { type Body, LargeBodies } from '../../http/large-bodies.js';
import { GENESIS_HASH } from '../../platform/event-sourcing/hash-chain.js';
import { Codec } from '../../platform/event-sourcing/codec.js';
import { EventStore } from '../../platform/event-sourcing/event-store.js';
import { type StoredEvent } from '../../platform/event-sourcing/recorded-event.js';
import { walletStreamOf } from './domain/events.js';

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
    const pieces = exportTexts(this.codec, this.eventStore.streamPages(walletStreamOf(partnerId)));
    const body = await this.bodies.text(reply, pieces, pieces);
    reply.headers({ 'Content-Disposition': `attachment; filename="wallet-${partnerId}.jsonl"`, 'Cache-Control': 'no-store' });
    reply.type(`${EXPORT_TYPE}; charset=utf-8`);
    return body;
  }
}

/**
 * Yields the lines of a wallet's pages, from its first entry on, as docs/audit.md describes them. They are entries in full, never upcast,
 * because the hash covers these.
 */
export async function* exportTexts(codec: Codec, pages: AsyncIterable<readonly StoredEvent[]>): AsyncGenerator<string> {
  let previous = GENESIS_HASH;
  for await (const page of pages) {
    const unusable = new Set(codec.sort(page).unusable.map(({ event }) => event));
    yield page
      .map((entry) => {
        // No entry builds upon an event that cannot be used. It is shown as it is.
        if (unusable.has(entry)) return exportLine(entry, previous);
        const line = exportLine(codec.inFull(entry), previous);
        previous = entry.metadata.hash ?? '';
        return line;
      })
      .join('');
  }
}

/** Characters that some readers take for a line break are escaped, which does not change the meaning of the JSON. */
function exportLine({ stream, revision, type, data, metadata }: StoredEvent, previous: string): string {
  // The data and metadata of an event that cannot be used may be anything.
  const { prev_hash = previous, hash } = (metadata as Partial<StoredEvent['metadata']> | null | undefined) ?? {};
  const { recorded_at } = (data as Partial<StoredEvent['data']> | null | undefined) ?? {};
  const line = JSON.stringify({ stream, revision: Number(revision), type, recorded_at, data, prev_hash, hash });
  return `${line.replaceAll(/[\u0085\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}
