import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';

/** Where in the log: before everything, behind everything, at a position. */
export type ReadFrom = 'start' | 'end' | bigint;

export interface Span {
  readonly backwards?: boolean | undefined;
  readonly maxCount?: number | undefined;
}

const { Options } = streams.ReadReq;
const ALL = Number.MAX_SAFE_INTEGER;
const NOT_THE_STORES_OWN = '^[^$].*';
/** How many events that the filter keeps back, in windows of 32, before the store tells how far it is. */
const CHECKPOINT_WINDOWS = 100;

export function streamRequest(stream: string, from: ReadFrom, span: Span): Buffer {
  const options = new Options.StreamOptions().setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(stream)));
  if (from === 'start') options.setStart(new shared.Empty());
  else if (from === 'end') options.setEnd(new shared.Empty());
  else options.setRevision(from.toString());
  return message(new Options().setStream(options).setNoFilter(new shared.Empty()), span);
}

export function allRequest(from: ReadFrom, span: Span): Buffer {
  return message(new Options().setAll(placed(from)).setNoFilter(new shared.Empty()), span);
}

/** A catch-up subscription to all but the store's own events. */
export function followRequest(after: bigint | undefined): Buffer {
  const filter = new Options.FilterOptions().setEventType(new Options.FilterOptions.Expression().setRegex(NOT_THE_STORES_OWN));
  filter.setCount(new shared.Empty()).setCheckpointintervalmultiplier(CHECKPOINT_WINDOWS);
  return message(
    new Options()
      .setAll(placed(after ?? 'start'))
      .setSubscription(new Options.SubscriptionOptions())
      .setFilter(filter),
  );
}

function placed(from: ReadFrom): streams.ReadReq.Options.AllOptions {
  const options = new Options.AllOptions();
  if (from === 'start') return options.setStart(new shared.Empty());
  if (from === 'end') return options.setEnd(new shared.Empty());
  return options.setPosition(new Options.Position().setCommitPosition(from.toString()).setPreparePosition(from.toString()));
}

function message(options: streams.ReadReq.Options, span?: Span): Buffer {
  options.setUuidOption(new Options.UUIDOption().setString(new shared.Empty()));
  if (span) {
    const { FORWARDS, BACKWARDS } = Options.ReadDirection;
    options.setReadDirection(span.backwards ? BACKWARDS : FORWARDS).setCount((span.maxCount ?? ALL).toString());
  }
  return Buffer.from(new streams.ReadReq().setOptions(options).serializeBinary());
}
