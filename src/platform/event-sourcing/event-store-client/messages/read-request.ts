import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';

/** The start of a read: before the first event, after the last one, or at a revision or position. */
export type ReadFrom = 'start' | 'end' | bigint;

export interface ReadOptions {
  readonly backwards?: boolean | undefined;
  readonly maxCount?: number | undefined;
}

const { Options } = streams.ReadReq;
const NO_LIMIT = Number.MAX_SAFE_INTEGER;
/** Matches every event type that does not begin with "$". A filter cannot also look at the stream, so the decoder skips the store's streams. */
const WITHOUT_SYSTEM_EVENTS = '^[^$].*';
/** The types of the events that hide others: metadata of a stream, and the end of a stream for good. */
const RETENTION_EVENTS = ['$metadata', '$streamDeleted'];
/** Number of windows of 32 filtered events after which the store sends a checkpoint. */
const CHECKPOINT_WINDOWS = 100;

export function streamRequest(stream: string, from: ReadFrom, readOptions: ReadOptions): Buffer {
  const options = new Options.StreamOptions().setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(stream)));
  if (from === 'start') options.setStart(new shared.Empty());
  else if (from === 'end') options.setEnd(new shared.Empty());
  else options.setRevision(from.toString());
  return message(new Options().setStream(options).setNoFilter(new shared.Empty()), readOptions);
}

export function allRequest(from: ReadFrom, readOptions: ReadOptions): Buffer {
  return message(new Options().setAll(allOptions(from)).setNoFilter(new shared.Empty()), readOptions);
}

/** Encodes the request for a catch-up subscription to all events except the store's own. */
export function subscribeRequest(after: bigint | undefined): Buffer {
  return subscription(after, new Options.FilterOptions.Expression().setRegex(WITHOUT_SYSTEM_EVENTS));
}

/** Encodes the request for a catch-up subscription, from the log's beginning, to the events that hide others. */
export function retentionRequest(): Buffer {
  return subscription(undefined, new Options.FilterOptions.Expression().setPrefixList(RETENTION_EVENTS));
}

function subscription(after: bigint | undefined, types: streams.ReadReq.Options.FilterOptions.Expression): Buffer {
  const filter = new Options.FilterOptions().setEventType(types);
  filter.setCount(new shared.Empty()).setCheckpointintervalmultiplier(CHECKPOINT_WINDOWS);
  return message(
    new Options()
      .setAll(allOptions(after ?? 'start'))
      .setSubscription(new Options.SubscriptionOptions())
      .setFilter(filter),
  );
}

function allOptions(from: ReadFrom): streams.ReadReq.Options.AllOptions {
  const options = new Options.AllOptions();
  if (from === 'start') return options.setStart(new shared.Empty());
  if (from === 'end') return options.setEnd(new shared.Empty());
  return options.setPosition(new Options.Position().setCommitPosition(from.toString()).setPreparePosition(from.toString()));
}

function message(options: streams.ReadReq.Options, readOptions?: ReadOptions): Buffer {
  options.setUuidOption(new Options.UUIDOption().setString(new shared.Empty()));
  if (readOptions) {
    const { FORWARDS, BACKWARDS } = Options.ReadDirection;
    options.setReadDirection(readOptions.backwards ? BACKWARDS : FORWARDS).setCount((readOptions.maxCount ?? NO_LIMIT).toString());
  }
  return Buffer.from(new streams.ReadReq().setOptions(options).serializeBinary());
}
