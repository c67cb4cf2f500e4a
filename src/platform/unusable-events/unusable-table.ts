import { type Pool } from 'pg';
import { type Codec } from '../event-sourcing/coding/codec.js';
import { type EventStore } from '../event-sourcing/event-store.js';
import { type StoredEvent } from '../event-sourcing/recorded-event.js';
import { sql } from 'kysely';
import { rowsOf, statementsOn } from '../database/typed-sql.js';
import { storableText } from '../database/postgres-text.js';
import { categoryOf, continuedBy } from '../event-sourcing/stream-kind.js';
import { EventSetAside, remedyOf, type UnusableEvent } from '../event-sourcing/coding/unusable-event.js';
import { isRecord } from '../../kernel/shape.js';

/** A row of ops.unusable_event: an event that cannot be used. */
interface UnusableEventRow {
  readonly event_id: string;
  /** Position in $all, as decimal text. */
  readonly position: string;
  readonly stream: string;
  readonly revision: number;
  readonly category: string;
  readonly type: string;
  /** Why it cannot be used, as a clause. */
  readonly reason: string;
  readonly found_at: string;
  /** Whether an operator has decided to go on without it. */
  readonly skipped: boolean;
}

/** An event that cannot be used and was not skipped, as doctor and `rupa projections status` name it. */
export type UnusableRow = Omit<UnusableEventRow, 'found_at' | 'skipped'>;

/** A row of ops.set_aside: a stream that an unusable event holds up. */
interface SetAsideRow {
  readonly stream: string;
  readonly category: string;
  readonly position: string;
  readonly event_id: string;
}

/** An unusable event with the streams whose rows it may concern. */
export interface SetAside extends UnusableEvent {
  readonly streams: readonly string[];
}

type Client = Pick<Pool, 'query'>;

const waiting = statementsOn<{ 'ops.unusable_event': UnusableEventRow }>()
  .selectFrom('ops.unusable_event')
  .where('skipped', '=', sql.lit(false));

/** Streams that are named as held up by one event. A contribution names each farmer whom it was ever about. */
const HELD_UP_MAX = 100;
const PLACE_SEPARATOR = ' ';

/**
 * SQL expression that statements of lookups contain, so that they need no statement more: null, or the event that was set aside in one of
 * the streams, for {@link refuseIfSetAside}.
 * @param streams SQL expressions for the names of the streams
 */
export function setAsideIn(...streams: readonly string[]): string {
  return `(select s.category || '${PLACE_SEPARATOR}' || s.position from ops.set_aside s where s.stream in (${streams.join(', ')}) limit 1)`;
}

/** @throws EventSetAside if the value of {@link setAsideIn} names an event */
export function refuseIfSetAside(found: string | null | undefined): void {
  if (found == null) return;
  const [category = '', position = ''] = found.split(PLACE_SEPARATOR);
  throw new EventSetAside({ category, position }, `a stream of the category ${category}`);
}

const RECORD = `insert into ops.unusable_event (event_id, position, stream, revision, category, type, reason)
  select event_id, position, stream, revision, category, type, reason
  from json_to_recordset($1) as e(event_id text, position numeric, stream text, revision bigint, category text, type text, reason text)
  on conflict (event_id) do update set position = excluded.position, reason = excluded.reason`;

const SET_STREAMS_ASIDE = `insert into ops.set_aside (stream, category, position, event_id)
  select s.stream, e.category, e.position, e.event_id
  from json_to_recordset($1) as s(event_id text, stream text)
  join ops.unusable_event e on e.event_id = s.event_id and not e.skipped
  where not exists (select from ops.set_aside a where a.event_id = s.event_id and a.stream = s.stream)`;

/** Records unusable events, in the transaction that moves the reader's checkpoint past them. Recording one again changes nothing. */
export async function recordUnusable(client: Client, events: readonly SetAside[]): Promise<void> {
  const rows = events.map(({ event: { id, position, stream, revision, type }, reason }) => ({
    event_id: id,
    position: position.toString(),
    stream: storableText(stream),
    revision: revision.toString(),
    category: storableText(categoryOf(stream)),
    type: storableText(type),
    reason,
  }));
  const streams = events.flatMap(({ event: { id }, streams: concerned }) =>
    [...new Set(concerned)].map((stream) => ({ event_id: id, stream: storableText(stream) })),
  );
  await client.query(RECORD, [JSON.stringify(rows)]);
  await client.query(SET_STREAMS_ASIDE, [JSON.stringify(streams)]);
}

/** Marks events as skipped, and lets their streams be used again. */
export async function recordSkips(client: Client, eventIds: readonly string[]): Promise<void> {
  await client.query('update ops.unusable_event set skipped = true where event_id = any($1)', [eventIds]);
  await client.query('delete from ops.set_aside where event_id = any($1)', [eventIds]);
}

/** Forgets events that this release can use, after the read models were rebuilt with them. */
export async function forgetUnusable(client: Client, eventIds: readonly string[]): Promise<void> {
  await client.query('delete from ops.unusable_event where event_id = any($1)', [eventIds]);
}

/** Returns the events that wait for an operator's decision, in the order of the log. */
export async function unusableEvents(client: Client): Promise<readonly UnusableRow[]> {
  const columns = ['event_id', 'position', 'stream', 'revision', 'category', 'type', 'reason'] as const;
  return await rowsOf(client, waiting.select(columns).orderBy('position'));
}

/** Returns events that wait for an operator's decision, after a position, each with the streams that it holds up, in the order of the log. */
export async function unusableAfter(
  client: Client,
  after: string,
  limit: number,
): Promise<readonly (UnusableRow & { readonly holds_up: readonly string[] })[]> {
  const { rows } = await client.query<UnusableRow & { readonly holds_up: readonly string[] }>(
    `select event_id, position, stream, revision, category, type, reason,
      array(select distinct s.stream from ops.set_aside s where s.event_id = u.event_id order by s.stream limit ${HELD_UP_MAX}) as holds_up
    from ops.unusable_event u where not skipped and position > $1::numeric order by position limit $2`,
    [after, limit],
  );
  return rows;
}

/** Returns the category and the position of the first events that wait for an operator's decision. */
export async function firstUnusable(client: Client, limit: number): Promise<Pick<UnusableRow, 'category' | 'position'>[]> {
  return await rowsOf(client, waiting.select(['category', 'position']).orderBy('position').limit(limit));
}

/** Returns how many events of each category wait for an operator's decision. */
export async function unusableByCategory(client: Client): Promise<{ category: string; events: number }[]> {
  return await rowsOf(client, waiting.select(({ fn }) => ['category', fn.countAll<number>().as('events')]).groupBy('category'));
}

/** Returns whether the table was created: the doctor may run before the first start of the service. */
export async function isCreated(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ created: boolean }>("select to_regclass('ops.unusable_event') is not null as created");
  return rows[0]?.created ?? false;
}

/** Names an event that waits for an operator's decision, as a sentence for operators; a stream's name may be a Rupa ID. */
export function unusableText({ event_id, position, stream, revision, type, reason }: UnusableRow): string {
  return `The event ${event_id} (type ${type}, ${stream} at revision ${revision}, position ${position}) is set aside, because ${reason}. ${remedyOf({ reason, position })}`;
}

/**
 * Refuses a call that needs the rows of a stream in which an event was set aside.
 * @param needed names what the call needs, for the caller
 * @throws EventSetAside
 */
export async function refuseSetAside(client: Client, streams: readonly string[], needed?: string): Promise<void> {
  const { rows } = await client.query<Pick<SetAsideRow, 'category' | 'position'>>({
    name: 'set-aside',
    text: 'select category, position from ops.set_aside where stream = any($1) order by position limit 1',
    values: [streams.map(storableText)],
  });
  const [place] = rows;
  if (place) throw new EventSetAside(place, needed ?? `a stream of the category ${place.category}`);
}

/** Returns the events that an earlier release set aside and this one can use. Read models of their types have to be rebuilt. */
export async function usableAgain(pool: Pool, eventStore: EventStore, codec: Codec): Promise<readonly StoredEvent[]> {
  const found: StoredEvent[] = [];
  for (const { stream, revision, event_id } of await unusableEvents(pool)) {
    const [event] = await eventStore.readStream(stream, { from: BigInt(revision), maxCount: 1 });
    if (event?.id === event_id) found.push(...(await codec.decodeUsable([event])).events.flatMap(() => event));
  }
  return found;
}

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
