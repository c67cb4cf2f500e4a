import { Injectable } from '@nestjs/common';
import { ApiError } from '../../../http/errors/api-error.js';
import { Cursors } from '../../../http/validating/paging.js';
import { ValidationFailed } from '../../../kernel/validation-failed.js';
import { Codec } from '../../../platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../../platform/event-sourcing/event-store.js';
import { type RecordedEvent, type StoredEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { SkippedEvents } from '../../../platform/unusable-events/skipped-events.js';
import { actorOfCall } from '../domain/admin-audit.js';
import { type AdminAuditEvent, type RecordedAdminCall } from '../domain/admin-audit-events.js';
import { type LogEvent, type LogEvents, type StreamEvent, type StreamEvents } from './log-events.dto.js';

const CURSORS = new Cursors('log-events', 'position');

/** Events that a call reads at a time, and at most, to find those of a category. */
const SEARCHED_AT_ONCE = 500;
const READS_MAX = 4;

export interface TailFilter {
  readonly limit: number;
  readonly category?: string | undefined;
  readonly cursor?: string | undefined;
}

export interface StreamPage {
  readonly limit: number;
  /** Revision of the newest event; undefined for that of the stream. */
  readonly from?: number | undefined;
  /** Whether personal fields are decrypted. The caller has checked the role, and records the reason. */
  readonly personal: boolean;
}

type Data = Readonly<Record<string, unknown>>;

/** An event as far as this release can read it. */
interface Read extends Pick<LogEvent, 'state' | 'reason'> {
  /** The data in their current version; undefined if the event cannot be used. */
  readonly data: Data | undefined;
}

/** Reads the log for people who look into it, in pages, and never the whole of it. */
@Injectable()
export class LogBrowser {
  private readonly skipped: SkippedEvents;

  constructor(
    private readonly eventStore: EventStore,
    private readonly codec: Codec,
  ) {
    this.skipped = new SkippedEvents(eventStore);
  }

  /** Returns the newest events of all streams, or of those of a category, without their data. @throws ValidationFailed for a wrong cursor */
  async tail({ limit, category, cursor }: TailFilter): Promise<LogEvents> {
    const isWanted = ({ stream }: StoredEvent): boolean => category === undefined || stream.startsWith(`${category}-`);
    let after = await this.positionIn(cursor);
    const found: StoredEvent[] = [];
    for (let reads = 0; reads < READS_MAX && found.length <= limit; reads += 1) {
      const maxCount = category === undefined ? limit + 1 : SEARCHED_AT_ONCE;
      const { events, next } = await this.eventStore.allPage({ after, backwards: true, maxCount });
      found.push(...events.filter(isWanted));
      after = next;
      if (next === undefined) break;
    }
    const items = found.slice(0, limit);
    const last = found.length > limit ? items.at(-1)?.position : after;
    const events = await Promise.all(items.map(async (event) => summaryOf(event, await this.read(event))));
    return { events, next_cursor: last === undefined ? null : CURSORS.at([last.toString()]) };
  }

  /**
   * Returns a page of a stream, newest event first.
   * @throws ApiError `stream_not_found`; HistoryMissing if events of the stream are hidden or gone
   */
  async stream(stream: string, { limit, from, personal }: StreamPage): Promise<StreamEvents> {
    if (!isName(stream)) throw new ApiError('stream_not_found');
    const last = await this.eventStore.lastRevision(stream);
    if (last < 0n) throw new ApiError('stream_not_found');
    const first = from === undefined || BigInt(from) > last ? last : BigInt(from);
    const stored = await this.eventStore.readStream(stream, { from: first, backwards: true, maxCount: limit + 1 });
    const page = stored.slice(0, limit);
    const events = await Promise.all(page.map((event) => (personal ? this.inFull(event) : this.shown(event))));
    const next = stored[limit]?.revision;
    return { stream, last_revision: Number(last), events, next: next === undefined ? null : Number(next) };
  }

  /** Returns the position in a cursor. The event store fails for a position behind the log's end, so that one is refused here. */
  private async positionIn(cursor: string | undefined): Promise<bigint | undefined> {
    const [text] = CURSORS.position(cursor) ?? [];
    if (text === undefined) return undefined;
    const position = BigInt(text);
    if (position > ((await this.eventStore.headPosition()) ?? 0n))
      throw new ValidationFailed({ cursor: ['The cursor field must be the next_cursor of an earlier response.'] });
    return position;
  }

  private async shown(event: StoredEvent): Promise<StreamEvent> {
    const read = await this.read(event);
    const hidden = this.codec.personalFieldsOf(event.type).filter((field) => typeof read.data?.[field] === 'string');
    const shown = read.data && Object.fromEntries(Object.entries(read.data).filter(([field]) => !hidden.includes(field)));
    return { ...summaryOf(event, read), ...contentOf(event, shown), hidden_fields: hidden, text: null };
  }

  /** Returns an event with its personal fields; those of an erased farmer are null. */
  private async inFull(event: StoredEvent): Promise<StreamEvent> {
    const { events, unusable } = await this.codec.decodeUsable([event]);
    const read = await this.judged(event, events[0], unusable[0]?.reason);
    const text = read.data ? null : await this.textOf(event);
    return { ...summaryOf(event, read), ...contentOf(event, read.data), hidden_fields: [], text };
  }

  /** Returns an event with its personal fields encrypted. */
  private async read(event: StoredEvent): Promise<Read> {
    const { upcast, unusable } = this.codec.sort([event]);
    return await this.judged(event, upcast[0], unusable[0]?.reason);
  }

  private async judged(event: StoredEvent, usable: RecordedEvent | undefined, reason: string | undefined): Promise<Read> {
    if (usable) return { state: 'usable', reason: null, data: usable.data as Data };
    if (reason === undefined) return { state: 'foreign', reason: null, data: undefined };
    return { state: (await this.skipped.has(event)) ? 'skipped' : 'set_aside', reason, data: undefined };
  }

  private async textOf({ stream, revision }: StoredEvent): Promise<string> {
    const raw = await this.eventStore.rawEventIn(stream, revision);
    return raw === undefined ? '' : `${raw.data.toString('utf8')}\n${raw.metadata.toString('utf8')}`.trimEnd();
  }
}

/** Returns whether a stream that people may look into can have this name. Those that begin with "$" are the event store's own. */
function isName(stream: string): boolean {
  return stream !== '' && !stream.startsWith('$') && !/\p{Cc}/u.test(stream);
}

/** Returns the content of an event that can be used; of another one, nothing: it may hold a person's name anywhere. */
function contentOf({ metadata }: StoredEvent, data: Data | undefined): Pick<StreamEvent, 'data' | 'metadata'> {
  return data ? { data, metadata: { ...metadata } } : { data: null, metadata: null };
}

function summaryOf(
  { id, position, stream, revision, type }: StoredEvent,
  { state, reason, data = {} }: Read,
): Pick<LogEvent, keyof LogEvent> {
  const { recorded_at } = data;
  return {
    position: position.toString(),
    stream,
    revision: Number(revision),
    event_id: id,
    type,
    recorded_at: typeof recorded_at === 'string' ? recorded_at : null,
    actor: actorIn(type, data),
    state,
    reason,
  };
}

const CALLS: { readonly [Type in AdminAuditEvent['type']]: true } = { AdminCallBegun: true, AdminCallEnded: true };

function actorIn(type: string, data: Data): string | null {
  if (typeof data.actor === 'string') return data.actor;
  return Object.hasOwn(CALLS, type) && 'role' in data ? actorOfCall(data as unknown as RecordedAdminCall) : null;
}
