import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';
import { randomUUID } from 'node:crypto';

/** The fields of an append that an attacker may choose. */
export interface HostileAppend {
  readonly stream?: Uint8Array | string;
  readonly id?: string;
  readonly type?: string;
  readonly data?: Uint8Array;
  readonly revision?: string;
  readonly count?: number;
  readonly isFinal?: boolean;
}

export function batchAppend({
  stream = 's',
  id,
  type = 'Noted',
  data = new Uint8Array(),
  revision,
  count = 1,
  isFinal = true,
}: HostileAppend): Buffer {
  const events = Array.from({ length: count }, () => {
    const event = new streams.BatchAppendReq.ProposedMessage().setId(new shared.UUID().setString(id ?? randomUUID())).setData(data);
    event.getMetadataMap().set('type', type).set('content-type', 'application/octet-stream');
    return event;
  });
  const options = new streams.BatchAppendReq.Options().setStreamIdentifier(
    new shared.StreamIdentifier().setStreamName(Buffer.from(stream as string)),
  );
  if (revision === undefined) options.setAny(new empty.Empty());
  else options.setStreamPosition(revision);
  const request = new streams.BatchAppendReq()
    .setCorrelationId(new shared.UUID().setString(randomUUID()))
    .setOptions(options)
    .setProposedMessagesList(events)
    .setIsFinal(isFinal);
  return Buffer.from(request.serializeBinary());
}

export interface HostileRead {
  readonly stream?: Uint8Array | string;
  readonly revision?: string;
  readonly position?: string;
  readonly count?: string;
  readonly backwards?: boolean;
  readonly subscription?: boolean;
  readonly regex?: string;
  readonly prefixes?: readonly string[];
}

const { Options } = streams.ReadReq;

export function read({ stream, revision, position, count, backwards = false, subscription = false, regex, prefixes }: HostileRead): Buffer {
  const options = new Options().setUuidOption(new Options.UUIDOption().setString(new shared.Empty()));
  options.setReadDirection(backwards ? Options.ReadDirection.BACKWARDS : Options.ReadDirection.FORWARDS);
  if (stream === undefined) {
    const all = new Options.AllOptions();
    if (position === undefined) all.setStart(new shared.Empty());
    else all.setPosition(new Options.Position().setCommitPosition(position).setPreparePosition(position));
    options.setAll(all);
  } else {
    const one = new Options.StreamOptions().setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(stream as string)));
    if (revision === undefined) one.setStart(new shared.Empty());
    else one.setRevision(revision);
    options.setStream(one);
  }
  if (subscription) options.setSubscription(new Options.SubscriptionOptions());
  else options.setCount(count ?? '10');
  if (regex === undefined && prefixes === undefined) options.setNoFilter(new shared.Empty());
  else {
    const expression = new Options.FilterOptions.Expression().setRegex(regex ?? '').setPrefixList([...(prefixes ?? [])]);
    const filter = new Options.FilterOptions().setStreamIdentifier(expression).setCount(new shared.Empty());
    options.setFilter(filter.setCheckpointintervalmultiplier(1));
  }
  return Buffer.from(new streams.ReadReq().setOptions(options).serializeBinary());
}
