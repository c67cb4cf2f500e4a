import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import grpc from '@grpc/grpc-js';
import protobuf from 'google-protobuf';
import { Duration } from 'google-protobuf/google/protobuf/duration_pb.js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';
import timestamp from 'google-protobuf/google/protobuf/timestamp_pb.js';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { inTime } from './in-time.js';

/** An event for the wire. Each field may be missing or wrong. */
export interface WireEvent {
  readonly id?: shared.UUID | undefined;
  readonly metadata?: Record<string, string>;
  readonly data?: Buffer;
}

/** An append for the wire, or a part of one. */
export interface WireAppend {
  readonly correlation?: shared.UUID | undefined;
  readonly stream?: string | undefined;
  readonly expected?: 'any' | 'no_stream' | 'stream_exists' | bigint | undefined;
  /** A time, or milliseconds from now. */
  readonly deadline?: Date | number | undefined;
  readonly events?: readonly WireEvent[];
  readonly isFinal?: boolean;
  /** Whether the part has options at all. */
  readonly hasOptions?: boolean;
}

const STREAMS = '/event_store.client.streams.Streams';
const OPTIONS = 2;
const DEADLINE_DURATION = 7;
const METADATA = { type: 'Noted', 'content-type': 'application/json' };

export function uuid(id: string = randomUUID()): shared.UUID {
  return new shared.UUID().setString(id);
}

export function structuredUuid(id: string): shared.UUID {
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
  const halves = new shared.UUID.Structured()
    .setMostSignificantBits(bytes.readBigInt64BE(0).toString())
    .setLeastSignificantBits(bytes.readBigInt64BE(8).toString());
  return new shared.UUID().setStructured(halves);
}

/** Opens a channel to a store without TLS. @param connectionString `esdb://HOST:PORT?tls=false` */
export function openChannel(connectionString: string): grpc.Client {
  const { host } = new URL(connectionString);
  return new grpc.Client(host, grpc.credentials.createInsecure(), { 'grpc.max_send_message_length': -1 });
}

/** A BatchAppend call. */
export class BatchCall {
  readonly responses: streams.BatchAppendResp[] = [];
  private readonly call: grpc.ClientDuplexStream<Buffer, streams.BatchAppendResp>;

  constructor(channel: grpc.Client) {
    const decode = (bytes: Buffer): streams.BatchAppendResp => streams.BatchAppendResp.deserializeBinary(new Uint8Array(bytes));
    this.call = channel.makeBidiStreamRequest(`${STREAMS}/BatchAppend`, (bytes: Buffer) => bytes, decode);
    this.call.on('data', (response: streams.BatchAppendResp) => this.responses.push(response));
    this.call.on('error', () => undefined);
  }

  send(append: WireAppend): void {
    this.call.write(batchRequest(append));
  }

  /** Waits for the next response. */
  async response(): Promise<streams.BatchAppendResp> {
    if (this.responses.length === 0) await inTime('a response to a BatchAppend call', once(this.call, 'data'));
    const [next] = this.responses.splice(0, 1);
    if (!next) throw new Error('The call has no response.');
    return next;
  }

  /** Sends an append, and waits for its response. */
  async responseTo(append: WireAppend): Promise<streams.BatchAppendResp> {
    this.send(append);
    return await this.response();
  }

  cancel(): void {
    this.call.cancel();
  }
}

/** Begins a plain Append call. The result has the response, or the status of the call. */
export function plainCall(
  channel: grpc.Client,
  deadline = Infinity,
): { call: grpc.ClientWritableStream<Buffer>; result: Promise<PlainResult> } {
  const { promise, resolve } = Promise.withResolvers<PlainResult>();
  const decode = (bytes: Buffer): streams.AppendResp => streams.AppendResp.deserializeBinary(new Uint8Array(bytes));
  const onResult = (error: grpc.ServiceError | null, response?: streams.AppendResp): void => {
    resolve({ code: error?.code ?? grpc.status.OK, exception: String(error?.metadata.get('exception')[0] ?? ''), response });
  };
  const asItIs = (bytes: Buffer): Buffer => bytes;
  const call = channel.makeClientStreamRequest(`${STREAMS}/Append`, asItIs, decode, new grpc.Metadata(), { deadline }, onResult);
  call.on('error', () => undefined);
  const result = inTime('the end of an Append call', promise);
  // Some tests end without its result.
  result.catch(() => undefined);
  return { call, result };
}

export interface PlainResult {
  readonly code: grpc.status;
  readonly exception: string;
  readonly response: streams.AppendResp | undefined;
}

/** Appends by the plain call. */
export async function plainAppend(channel: grpc.Client, append: WireAppend): Promise<PlainResult> {
  const { call, result } = plainCall(channel);
  for (const message of plainRequests(append)) call.write(message);
  call.end();
  return await result;
}

/** The messages of one plain Append call. */
export function plainRequests({ stream, expected, events = [], hasOptions = true }: WireAppend): Buffer[] {
  const options = new streams.AppendReq.Options();
  if (stream !== undefined) options.setStreamIdentifier(identifier(stream));
  if (expected === 'any') options.setAny(new shared.Empty());
  else if (expected === 'no_stream') options.setNoStream(new shared.Empty());
  else if (expected === 'stream_exists') options.setStreamExists(new shared.Empty());
  else if (expected !== undefined) options.setRevision(expected.toString());
  const messages = events.map((event) =>
    new streams.AppendReq().setProposedMessage(proposed(new streams.AppendReq.ProposedMessage(), event)),
  );
  if (hasOptions) messages.unshift(new streams.AppendReq().setOptions(options));
  return messages.map((message) => Buffer.from(message.serializeBinary()));
}

function batchRequest({ correlation, events = [], isFinal = true, hasOptions = true, ...options }: WireAppend): Buffer {
  const request = new streams.BatchAppendReq().setIsFinal(isFinal);
  if (correlation) request.setCorrelationId(correlation);
  request.setProposedMessagesList(events.map((event) => proposed(new streams.BatchAppendReq.ProposedMessage(), event)));
  const withOptions = new protobuf.BinaryWriter();
  if (hasOptions) withOptions.writeBytes(OPTIONS, batchOptions(options));
  return Buffer.concat([request.serializeBinary(), withOptions.getResultBuffer()]);
}

/** Encodes the options by hand, because the client's generated code does not know the deadline as a duration. */
function batchOptions({ stream, expected, deadline }: Pick<WireAppend, 'stream' | 'expected' | 'deadline'>): Buffer {
  const options = new streams.BatchAppendReq.Options();
  if (stream !== undefined) options.setStreamIdentifier(identifier(stream));
  if (expected === 'any') options.setAny(new empty.Empty());
  else if (expected === 'no_stream') options.setNoStream(new empty.Empty());
  else if (expected === 'stream_exists') options.setStreamExists(new empty.Empty());
  else if (expected !== undefined) options.setStreamPosition(expected.toString());
  if (deadline instanceof Date) options.setDeadline(timestamp.Timestamp.fromDate(deadline));
  const withDuration = new protobuf.BinaryWriter();
  if (typeof deadline === 'number') {
    const duration = new Duration();
    duration.setSeconds(Math.trunc(deadline / 1_000));
    duration.setNanos((deadline % 1_000) * 1e6);
    withDuration.writeBytes(DEADLINE_DURATION, duration.serializeBinary());
  }
  return Buffer.concat([options.serializeBinary(), withDuration.getResultBuffer()]);
}

function identifier(name: string): shared.StreamIdentifier {
  return new shared.StreamIdentifier().setStreamName(Buffer.from(name));
}

function proposed<T extends streams.BatchAppendReq.ProposedMessage | streams.AppendReq.ProposedMessage>(
  message: T,
  { id, metadata = METADATA, data = Buffer.from('{}') }: WireEvent,
): T {
  if (id) message.setId(id);
  for (const [key, value] of Object.entries(metadata)) message.getMetadataMap().set(key, value);
  message.setData(data);
  return message;
}
