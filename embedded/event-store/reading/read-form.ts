import streams from '@eventstore/db-client/generated/streams_pb.js';
import { NO_EVENTS } from '../append-rules.js';
import { type EventLog } from '../storing/log.js';
import { type AllRequest, type StreamRequest } from './requested-read.js';
import { structuredUuid } from '../serving/uuid.js';
import { typeOf } from '../serving/wire.js';

/** Turns a stored ReadResp into the one for a reader. */
export type ReadForm = (record: Buffer) => Buffer;

const LINK = '$>';
const REVISION_MAX = 2n ** 63n - 1n;

/** Returns the form that a reader asks for. Readers who ask for nothing special, such as the ledger's adapter, get the stored bytes. */
export function readFormOf(log: EventLog, { hasStructuredIds, resolvesLinks }: StreamRequest | AllRequest): ReadForm {
  if (!hasStructuredIds && !resolvesLinks) return (record) => record;
  return (record) => {
    const response = streams.ReadResp.deserializeBinary(record);
    const read = response.getEvent();
    if (read && resolvesLinks && typeOf(record) === LINK) resolve(log, read);
    if (read && hasStructuredIds)
      for (const event of [read.getEvent(), read.getLink()]) event?.setId(structuredUuid(event.getId()?.getString() ?? ''));
    return Buffer.from(response.serializeBinary());
  };
}

/** Adds the event that a link leads to, and none if it leads nowhere. A link that names no revision stays an ordinary event. */
function resolve(log: EventLog, read: streams.ReadResp.ReadEvent): void {
  const link = read.getEvent();
  const [, revision, stream = ''] = /^(-?[0-9]+)(?:@(.*))?$/s.exec(Buffer.from(link?.getData_asU8() ?? []).toString()) ?? [];
  if (revision === undefined || BigInt(revision) > REVISION_MAX) return;
  read.setLink(link).setEvent(eventAt(log, Buffer.from(stream), Number(revision)));
}

function eventAt(log: EventLog, stream: Buffer, revision: number): streams.ReadResp.ReadEvent.RecordedEvent | undefined {
  const newest = stream.length === 0 ? NO_EVENTS : log.lastRevision(stream);
  // EventStoreDB takes -1 for the newest event.
  const at = revision === -1 ? newest : revision;
  if (at < 0 || at > newest || at < log.firstRevision(stream)) return undefined;
  const [record] = log.readStream(stream, at, at);
  return record && streams.ReadResp.deserializeBinary(record.bytes).getEvent()?.getEvent();
}
