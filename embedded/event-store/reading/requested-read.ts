import streams from '@eventstore/db-client/generated/streams_pb.js';
import grpc from '@grpc/grpc-js';
import { type Filter, filterOf } from './filter.js';
import { type EventLog } from '../storing/log.js';
import { RefusedCall } from '../serving/grpc-errors.js';

/** A place in $all. An event lies at a place whose prepare position equals its commit position. */
export interface Place {
  readonly commit: number;
  readonly prepare: number;
}

/** Start of a read or a subscription. EventStoreDB returns no events for a request without any start, which no client sends. */
type Start<At> = 'start' | 'end' | 'nowhere' | At;

interface CommonOptions {
  readonly isBackwards: boolean;
  /** Most events to send; undefined for a subscription. */
  readonly count: number | undefined;
  readonly hasStructuredIds: boolean;
  readonly resolvesLinks: boolean;
}

export interface StreamRequest extends CommonOptions {
  readonly kind: 'stream';
  readonly stream: Buffer;
  /** A revision. */
  readonly start: Start<number>;
  /** Whether the reader asks for the first and the last position of the stream, as newer clients do. */
  readonly wantsPositions: boolean;
}

export interface AllRequest extends CommonOptions {
  readonly kind: 'all';
  readonly start: Start<Place>;
  readonly filter: Filter | undefined;
  /** Number of events to consider in one go, after which a filtered subscription may get a checkpoint. */
  readonly window: number;
  /** Number of considered events after which a filtered subscription gets a checkpoint. */
  readonly checkpointInterval: number;
}

type Options = streams.ReadReq.Options;

const { UNKNOWN, INVALID_ARGUMENT, UNIMPLEMENTED } = grpc.status;
const END = 2n ** 64n - 1n;
const SIGNED_MAX = 2n ** 63n - 1n;
const DEFAULT_WINDOW = 32;
/** Streams that EventStoreDB writes or computes itself. Their absence must not look like a fact about the node. */
const STREAMS_OF_THE_SERVER = /^\$(mem-|epoch-information$)/;

/**
 * Decodes the request of a read or subscription, and refuses what EventStoreDB refuses, with the same status, and what is not
 * implemented.
 * @throws RefusedCall
 */
export function readRequestOf(request: streams.ReadReq | undefined): StreamRequest | AllRequest {
  const options = request?.getOptions();
  if (!request) throw new RefusedCall(UNKNOWN, 'The request is not a valid message.');
  if (!options || options.hasAll() === options.hasStream())
    throw new RefusedCall(INVALID_ARGUMENT, 'A read needs either a stream or $all.');
  const isBackwards = options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS;
  refuseCombination(options, isBackwards);
  const common = {
    isBackwards,
    count: options.hasCount() ? counter(BigInt(options.getCount())) : undefined,
    hasStructuredIds: options.getUuidOption()?.hasStructured() ?? false,
    resolvesLinks: options.getResolveLinks(),
  };
  return options.hasStream() ? { ...streamOptions(options, common), ...common } : { ...allOptions(options, common), ...common };
}

/** Returns the number of an event of $all at which a read or a subscription starts. @throws RefusedCall */
export function positionIn(log: EventLog, { commit, prepare }: Place, isBackwards: boolean): number {
  if (isBackwards && commit > log.head + 1) throw new RefusedCall(UNKNOWN, `The position ${commit} lies beyond the end of the log.`);
  // A place before the event at its commit position; backwards, EventStoreDB then leaves out the event before it.
  return isBackwards && prepare < commit ? commit - 1 : commit;
}

function refuseCombination(options: Options, isBackwards: boolean): void {
  const [isSubscription, hasFilter] = [options.hasSubscription(), options.hasFilter()];
  const ids = options.getUuidOption();
  const isComplete =
    isSubscription !== options.hasCount() && hasFilter !== options.hasNoFilter() && ids?.hasString() !== ids?.hasStructured();
  if (!isComplete) throw new RefusedCall(INVALID_ARGUMENT, 'A read needs a count or a subscription, a filter or none, and a form for ids.');
  if (isSubscription && isBackwards) throw new RefusedCall(INVALID_ARGUMENT, 'A subscription reads forwards.');
  if (hasFilter && options.hasStream()) throw new RefusedCall(INVALID_ARGUMENT, 'Only $all can be filtered.');
}

function streamOptions(
  options: Options,
  { isBackwards, count }: CommonOptions,
): Pick<StreamRequest, 'kind' | 'stream' | 'start' | 'wantsPositions'> {
  const wanted = options.getStream();
  const stream = Buffer.from(wanted?.getStreamIdentifier()?.getStreamName_asU8() ?? []);
  if (stream.length === 0) throw new RefusedCall(UNKNOWN, 'A stream must have a name.');
  if (STREAMS_OF_THE_SERVER.test(stream.toString()))
    throw new RefusedCall(UNIMPLEMENTED, `The stream ${stream.toString()} of the server is not implemented.`);
  const start = streamStart(wanted);
  if (count === 0) throw new RefusedCall(UNKNOWN, 'A read of a stream needs a count of at least 1.');
  if (count !== undefined && start === 'end' && !isBackwards)
    throw new RefusedCall(UNKNOWN, 'A stream cannot be read forwards from its end: read it backwards, or subscribe to it.');
  return { kind: 'stream', stream, start, wantsPositions: (options.getControlOption()?.getCompatibility() ?? 0) > 0 };
}

function streamStart(options: streams.ReadReq.Options.StreamOptions | undefined): Start<number> {
  if (!options?.hasRevision()) return options?.hasStart() ? 'start' : options?.hasEnd() ? 'end' : 'nowhere';
  const revision = BigInt(options.getRevision());
  if (revision === END) return 'end';
  if (revision > SIGNED_MAX) throw new RefusedCall(UNKNOWN, `The revision ${revision} exceeds 63 bits.`);
  return counter(revision);
}

function allOptions(
  options: Options,
  { count }: CommonOptions,
): Pick<AllRequest, 'kind' | 'start' | 'filter' | 'window' | 'checkpointInterval'> {
  const start = allStart(options.getAll());
  const filterOptions = options.getFilter();
  const window = filterOptions?.hasMax() ? filterOptions.getMax() : DEFAULT_WINDOW;
  const multiplier = filterOptions?.getCheckpointintervalmultiplier() ?? 1;
  // EventStoreDB never answers these. A read that waits for ever serves nobody.
  if (count === 0) throw new RefusedCall(UNIMPLEMENTED, 'A read of $all with a count of 0 is not implemented.');
  if (window === 0) throw new RefusedCall(UNIMPLEMENTED, 'A search window of 0 events is not implemented.');
  if (count === undefined && multiplier === 0) throw new RefusedCall(UNKNOWN, 'The checkpoint interval must be at least 1.');
  return { kind: 'all', start, filter: filterOf(filterOptions), window, checkpointInterval: window * multiplier };
}

function allStart(options: streams.ReadReq.Options.AllOptions | undefined): Start<Place> {
  const position = options?.getPosition();
  if (!position) return options?.hasStart() ? 'start' : options?.hasEnd() ? 'end' : 'nowhere';
  const [commit, prepare] = [BigInt(position.getCommitPosition()), BigInt(position.getPreparePosition())];
  if (commit === END && prepare === END) return 'end';
  if (commit < prepare) throw new RefusedCall(UNKNOWN, 'The prepare position must not lie behind the commit position.');
  if (commit > SIGNED_MAX) throw new RefusedCall(UNKNOWN, `The position ${commit} exceeds 63 bits.`);
  return { commit: counter(commit), prepare: counter(prepare) };
}

/** A number beyond the safe integers becomes the largest one, which no log will ever reach. */
function counter(value: bigint): number {
  return value > Number.MAX_SAFE_INTEGER - 1 ? Number.MAX_SAFE_INTEGER - 1 : Number(value);
}
