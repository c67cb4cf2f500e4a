import streams from '@eventstore/db-client/generated/streams_pb.js';
import grpc from '@grpc/grpc-js';
import { type AppendContext, performRemoval } from './serving/plain-append.js';
import { type Expectation } from './append-rules.js';
import { faultOfMetadataStream } from './assembly.js';
import { callError, serviceError, wrongRevisionError } from './serving/grpc-errors.js';
import { METADATA_PREFIX } from './stream-metadata.js';

type Request = streams.DeleteReq | streams.TombstoneReq;
type RequestOptions = streams.DeleteReq.Options | streams.TombstoneReq.Options;
type Callback = grpc.sendUnaryData<streams.DeleteResp | streams.TombstoneResp>;

const { UNKNOWN, INVALID_ARGUMENT, UNIMPLEMENTED } = grpc.status;
/** EventStoreDB's numbers for expectations that are no revisions. */
const EXPECTED = { any: -2n, no_stream: -1n, stream_exists: -4n } as const;

/** Deletes a stream until somebody appends to it again. */
export async function deleteStream(
  context: AppendContext,
  call: grpc.ServerUnaryCall<streams.DeleteReq, streams.DeleteResp>,
  callback: Callback,
): Promise<void> {
  await respond(callback, async () => {
    const position = String(await remove(context, call.request, 'deletion'));
    return new streams.DeleteResp().setPosition(new streams.DeleteResp.Position().setCommitPosition(position).setPreparePosition(position));
  });
}

/** Ends a stream for good. */
export async function tombstoneStream(
  context: AppendContext,
  call: grpc.ServerUnaryCall<streams.TombstoneReq, streams.TombstoneResp>,
  callback: Callback,
): Promise<void> {
  await respond(callback, async () => {
    const position = String(await remove(context, call.request, 'tombstone'));
    return new streams.TombstoneResp().setPosition(
      new streams.TombstoneResp.Position().setCommitPosition(position).setPreparePosition(position),
    );
  });
}

async function respond(callback: Callback, work: () => Promise<streams.DeleteResp | streams.TombstoneResp>): Promise<void> {
  try {
    callback(null, await work());
  } catch (error) {
    callback(error as grpc.ServiceError);
  }
}

/** Returns the position of the event that removes the stream. @throws grpc.ServiceError */
async function remove(context: AppendContext, request: Request, removal: 'deletion' | 'tombstone'): Promise<number | undefined> {
  const options = request.getOptions();
  const stream = Buffer.from(options?.getStreamIdentifier()?.getStreamName_asU8() ?? []);
  const expected = options && expectationIn(options);
  if (stream.length === 0) throw serviceError(UNKNOWN, 'A stream must have a name.');
  if (!expected) throw serviceError(INVALID_ARGUMENT, 'The expected revision is missing.');
  if (stream.toString() === '$all') throw serviceError(UNIMPLEMENTED, 'A deletion of $all is not implemented.');
  const fault = removal === 'deletion' ? faultOfMetadataStream(Buffer.concat([METADATA_PREFIX, stream])) : undefined;
  const outcome = fault ?? (await performRemoval(context, { stream, expected, events: [], removal }));
  if (outcome.kind === 'appended') return outcome.position;
  if (outcome.kind !== 'wrong_revision') throw callError(outcome);
  const wanted = outcome.expected.kind === 'exact' ? outcome.expected.revision : EXPECTED[outcome.expected.kind];
  throw wrongRevisionError(stream.toString(), wanted, outcome.current);
}

function expectationIn(options: RequestOptions): Expectation | undefined {
  if (options.hasAny()) return { kind: 'any' };
  if (options.hasNoStream()) return { kind: 'no_stream' };
  if (options.hasStreamExists()) return { kind: 'stream_exists' };
  return options.hasRevision() ? { kind: 'exact', revision: BigInt(options.getRevision()) } : undefined;
}
