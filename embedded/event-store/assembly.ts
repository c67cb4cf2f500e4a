import { isUtf8 } from 'node:buffer';
import { type Expectation, NO_REVISION } from './append-rules.js';
import { type Rejection } from './serving/grpc-errors.js';
import { APPEND_EVENTS_MAX, APPEND_STORED_BYTES_MAX, RECORD_BYTES_MAX } from './limits.js';
import { isMetadataStream, subjectOf } from './stream-metadata.js';
import { type AppendOptions, type AppendRequest, type Deadline, JSON_TYPE, NO_TYPE, type ProposedEvent } from './serving/wire.js';

/** Memory that an append takes even if it is empty. */
const OVERHEAD_BYTES = 512;
const REVISION_MAX = 2n ** 63n - 1n;
const ZERO_ID = '00000000-0000-0000-0000-000000000000';

/** An append that is assembled from its requests. The events of an append that is rejected are not kept. */
export class Assembly {
  readonly events: ProposedEvent[] = [];
  /** Name of the stream; undefined if the request has none. A copy, because a view would keep the whole message in memory. */
  readonly stream: Buffer | undefined;
  readonly expected: Expectation;
  /** On the clock of performance.now(), so that a change of the wall clock does not move it. */
  private readonly deadline: number;
  private rejected: Rejection | undefined;
  private dataBytes = 0;
  private storedBytes = 0;
  private keptBytes = 0;

  constructor(
    { stream, expected, deadline }: AppendOptions,
    private readonly maxBytes: number,
  ) {
    this.stream = stream && Buffer.from(stream);
    this.expected = expected ?? { kind: 'any' };
    this.deadline = deadline ? performance.now() + millisecondsUntil(deadline) : Infinity;
    this.rejected = faultOfOptions(this.stream, expected);
  }

  /** Why the append cannot be written, as far as its requests show it. */
  get rejection(): Rejection | undefined {
    return this.rejected ?? (this.remainingMs <= 0 ? { kind: 'deadline_passed' } : undefined);
  }

  /** Milliseconds until the deadline; Infinity without one. */
  get remainingMs(): number {
    return this.deadline === Infinity ? Infinity : this.deadline - performance.now();
  }

  /** Bytes of memory that this append holds. */
  get heldBytes(): number {
    return this.keptBytes + this.streamBytes + OVERHEAD_BYTES;
  }

  private get streamBytes(): number {
    return this.stream?.length ?? 0;
  }

  add({ events, requestBytes }: AppendRequest): void {
    this.rejected ??= this.faultOf(events);
    if (this.rejected) {
      this.events.length = 0;
      this.keptBytes = 0;
      return;
    }
    for (const event of events) this.events.push(event);
    this.keptBytes += requestBytes;
  }

  private faultOf(events: readonly ProposedEvent[]): Rejection | undefined {
    if (this.events.length + events.length > APPEND_EVENTS_MAX)
      return unimplemented(`Appends of more than ${APPEND_EVENTS_MAX} events are not implemented.`);
    for (const event of events) {
      const fault = faultOfEvent(event) ?? faultOfMetadata(this.stream, event);
      if (fault) return fault;
      const recordBytes = event.data.length + event.customMetadata.length + event.type.length + this.streamBytes;
      if (recordBytes > RECORD_BYTES_MAX)
        return unimplemented(`Events of more than ${RECORD_BYTES_MAX} bytes with their metadata are not implemented.`);
      this.dataBytes += event.data.length;
      this.storedBytes += recordBytes;
    }
    if (this.dataBytes > this.maxBytes) return { kind: 'too_large', maxBytes: this.maxBytes };
    if (this.storedBytes > APPEND_STORED_BYTES_MAX)
      return unimplemented(`Appends of more than ${APPEND_STORED_BYTES_MAX} bytes with metadata, types and names are not implemented.`);
    return undefined;
  }
}

function millisecondsUntil(deadline: Deadline): number {
  return 'after' in deadline ? deadline.after : deadline.at - Date.now();
}

function faultOfOptions(stream: Buffer | undefined, expected: Expectation | undefined): Rejection | undefined {
  if (!stream || stream.length === 0) return { kind: 'invalid', message: 'The name of the stream is missing or empty.' };
  // Readers could not decode other bytes, so they must not get into the log.
  if (!isUtf8(stream)) return { kind: 'invalid', message: 'The name of the stream is not UTF-8.' };
  if (!expected) return { kind: 'missing_expectation' };
  if (expected.kind === 'exact' && expected.revision > REVISION_MAX && expected.revision !== NO_REVISION)
    return { kind: 'invalid', message: 'The expected revision is larger than 2^63 - 1.' };
  return faultOfMetadataStream(stream);
}

function faultOfEvent({ id, type, contentType }: ProposedEvent): Rejection | undefined {
  if (id === '') return { kind: 'invalid', message: 'The id of an event is missing or not a UUID.' };
  if (id === ZERO_ID) return { kind: 'invalid', message: 'The id of an event has only zeros.' };
  if (type === NO_TYPE) return { kind: 'missing_metadata', property: 'type' };
  if (contentType.length === 0) return { kind: 'missing_metadata', property: 'content-type' };
  if (type.length === 0) return { kind: 'invalid', message: 'The type of an event is empty.' };
  if (!isUtf8(type)) return { kind: 'invalid', message: 'The type of an event is not UTF-8.' };
  return undefined;
}

/** Returns why nothing can be appended to the stream, or why it cannot be deleted, if it has metadata of a stream that has none. */
export function faultOfMetadataStream(stream: Buffer): Rejection | undefined {
  if (!isMetadataStream(stream)) return undefined;
  const subject = subjectOf(stream);
  if (subject.length > 0 && !isMetadataStream(subject)) return undefined;
  return unimplemented('Metadata of no stream, and of a stream with metadata, is not implemented.');
}

function faultOfMetadata(stream: Buffer | undefined, { contentType }: ProposedEvent): Rejection | undefined {
  if (!stream || !isMetadataStream(stream) || contentType.equals(JSON_TYPE)) return undefined;
  return unimplemented('Metadata of streams that is not of the content type application/json is not implemented.');
}

function unimplemented(message: string): Rejection {
  return { kind: 'unimplemented', message };
}
