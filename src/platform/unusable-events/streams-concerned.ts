import { type Codec } from '../event-sourcing/coding/codec.js';
import { type EventStore } from '../event-sourcing/event-store.js';
import { type StoredEvent } from '../event-sourcing/recorded-event.js';
import { continuedBy } from '../event-sourcing/stream-kind.js';
import { isRecord } from '../../kernel/shape.js';
import { type UnusableEvent } from '../event-sourcing/coding/unusable-event.js';
import { type SetAside } from './unusable-table.js';

/** The fields in which a category's events name farmers, whose rows an event of that category changes, too. */
const FARMERS_OF: Readonly<Record<string, readonly string[]>> = { contribution: ['rupa_id', 'previous_rupa_id'] };

/** Returns the events with the streams whose rows they may concern: their own, and those of the farmers that a contribution was about. */
export async function withStreams(eventStore: EventStore, codec: Codec, events: readonly UnusableEvent[]): Promise<SetAside[]> {
  const found: SetAside[] = [];
  for (const unusable of events) {
    const { stream, revision } = unusable.event;
    const fields = FARMERS_OF[stream.slice(0, stream.indexOf('-'))] ?? [];
    const before = fields.length === 0 ? [] : await earlier(eventStore, codec, stream, revision);
    const farmers = [unusable.event, ...before].flatMap(({ data }) => namesIn(data, fields));
    const own = continuedBy(stream) ?? stream;
    found.push({ ...unusable, streams: [own, ...farmers.map((rupaId) => `farmer-${rupaId}`)] });
  }
  return found;
}

async function earlier(eventStore: EventStore, codec: Codec, stream: string, revision: bigint): Promise<readonly StoredEvent[]> {
  if (revision === 0n) return [];
  return codec.sort(await eventStore.readStream(stream, { maxCount: Number(revision) })).usable;
}

function namesIn(data: unknown, fields: readonly string[]): string[] {
  if (!isRecord(data)) return [];
  return fields.flatMap((field) => (typeof data[field] === 'string' ? [data[field]] : []));
}
