import { Fields } from '../protobuf-fields.js';
import { type EventMetadata, type StoredEvent } from '../recorded-event.js';

/** What a read brings: an event of the log, or something about the reading itself. */
export interface ReadResponse {
  readonly entry?: LogEntry;
}

export interface LogEntry {
  readonly position: bigint;
  /** When it was recorded, in ms since 1970. */
  readonly createdMs: number;
  /** undefined where it is the store's own. */
  readonly event: StoredEvent | undefined;
}

const TICKS_A_MILLISECOND_DIGITS = 4;

/** A ReadResp of EventStoreDB's protocol, as the client decodes it, in less than half the client's time. @throws Error for what is no such message */
export function decodeReadResponse(message: Buffer): ReadResponse {
  const response = new Fields(message);
  while (response.next()) {
    if (response.number !== 1) continue;
    const resolved = response.inner();
    while (resolved.next()) if (resolved.number === 1) return { entry: recorded(resolved.inner()) };
  }
  return {};
}

function recorded(fields: Fields): LogEntry {
  const said = { type: '', created: '' };
  let [id, stream] = ['', ''];
  let data: unknown;
  let metadata: unknown;
  let [revision, position] = [0, 0n];
  while (fields.next()) {
    if (fields.number === 1) id = fields.inner().uuid();
    else if (fields.number === 2) stream = fields.inner().lastText(3);
    else if (fields.number === 3) revision = fields.value;
    else if (fields.number === 5) position = BigInt(fields.value);
    else if (fields.number === 6) readEntry(fields.inner(), said);
    else if (fields.number === 7 && fields.end > fields.start) metadata = parsed(fields.text());
    else if (fields.number === 8) data = said.type.startsWith('$') ? undefined : parsed(fields.text());
  }
  const { type } = said;
  const createdMs = Number(said.created.slice(0, -TICKS_A_MILLISECOND_DIGITS));
  if (type.startsWith('$')) return { position, createdMs, event: undefined };
  return {
    position,
    createdMs,
    event: {
      id,
      stream,
      revision: BigInt(revision),
      position,
      type,
      data: data as StoredEvent['data'],
      metadata: metadata as EventMetadata,
    },
  };
}

/** What is no JSON, and so none of this service's events, is shown as it is. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** An entry of the store's own metadata: the event's type, when it was recorded, of which kind its data are. */
function readEntry(entry: Fields, said: { type: string; created: string }): void {
  let key = '';
  let value = '';
  while (entry.next()) {
    if (entry.number === 1) key = entry.text();
    else if (entry.number === 2) value = entry.text();
  }
  if (key === 'type') said.type = value;
  else if (key === 'created') said.created = value;
}
