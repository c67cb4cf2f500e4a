import streams from '@eventstore/db-client/generated/streams_pb.js';
import grpc from '@grpc/grpc-js';
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Filter, filterOf } from './filter.js';
import { type EventLog, type StoredRecord } from './log.js';
import { readEventResponse, streamIdentifier, streamName } from './wire.js';

/** What goes out is a message or, for events, its bytes already. */
export type ReadResponse = streams.ReadResp | Buffer;
type ReadCall = grpc.ServerWritableStream<streams.ReadReq, ReadResponse>;

/** Few enough that other calls get their turn. */
const PAGE = 256;
const DEFAULT_WINDOW = 32;
const BACKWARDS = 1;

/** A page of what is read, and from where the next one goes on. */
type NextPage = (from: number, limit: number) => StoredRecord[];

export async function read(log: EventLog, call: ReadCall): Promise<void> {
  const options = call.request.getOptions();
  if (!options) {
    call.destroy(invalid('A read begins with its options.'));
    return;
  }
  try {
    if (options.getSubscription()) await subscribe(log, call, options);
    else if (options.hasAll()) await readAll(log, call, options);
    else await readStream(log, call, options);
    call.end();
  } catch (error) {
    if (!call.cancelled) call.destroy(invalid(error instanceof Error ? error.message : String(error)));
  }
}

async function readStream(log: EventLog, call: ReadCall, options: streams.ReadReq.Options): Promise<void> {
  const wanted = options.getStream();
  const stream = streamName(wanted?.getStreamIdentifier());
  const last = log.lastRevision(stream);
  if (last < 0) {
    const notFound = new streams.ReadResp.StreamNotFound().setStreamIdentifier(streamIdentifier(stream));
    await send(call, new streams.ReadResp().setStreamNotFound(notFound));
    return;
  }
  const backwards = Number(options.getReadDirection()) === BACKWARDS;
  const end = wanted?.hasEnd() ?? false;
  const named = wanted?.hasRevision() ? Number(wanted.getRevision()) : backwards && !wanted?.hasStart() ? last : 0;
  if (end && !backwards) return;
  const from = backwards ? Math.min(end ? last : named, last) : named;
  const page: NextPage = (at, limit) => (at < 0 ? [] : log.readStream(stream, at, backwards, limit));
  await sendPages(call, page, from, (_record, at) => (backwards ? at - 1 : at + 1), Number(options.getCount()), undefined);
}

async function readAll(log: EventLog, call: ReadCall, options: streams.ReadReq.Options): Promise<void> {
  const all = options.getAll();
  const backwards = Number(options.getReadDirection()) === BACKWARDS;
  const end = log.head + 1;
  const position = all?.getPosition();
  const from = position ? Number(position.getCommitPosition()) : all?.hasEnd() ? end : 0;
  if (backwards && all?.hasStart()) return;
  const page: NextPage = (at, limit) => log.readAll(at, backwards, limit);
  const next = ({ position: at }: StoredRecord): number => (backwards ? at : at + 1);
  await sendPages(call, page, Math.min(from, end), next, Number(options.getCount()), filterOf(options.getFilter()));
}

async function sendPages(
  call: ReadCall,
  page: NextPage,
  from: number,
  next: (record: StoredRecord, at: number) => number,
  count: number,
  filter: Filter | undefined,
): Promise<void> {
  let at = from;
  let left = count;
  while (left > 0 && !call.cancelled) {
    const limit = filter ? PAGE : Math.min(PAGE, left);
    const records = page(at, limit);
    for (const record of records) {
      at = next(record, at);
      if (filter && !filter(record)) continue;
      await send(call, readEventResponse(record));
      left -= 1;
      if (left === 0) return;
    }
    if (records.length < limit) return;
    await nextTurn();
  }
}

/**
 * Catch-up and live alike read from disk: what a subscriber has not taken yet stays there, and nothing can be missed or sent twice
 * where the one passes into the other.
 */
async function subscribe(log: EventLog, call: ReadCall, options: streams.ReadReq.Options): Promise<void> {
  const wake = new Wake();
  const unsubscribe = log.onCommit(() => {
    wake.up();
  });
  call.on('cancelled', () => {
    wake.up();
  });
  try {
    const confirmation = new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(randomUUID());
    await send(call, new streams.ReadResp().setConfirmation(confirmation));
    const source = options.hasAll() ? allSource(log, options) : streamSource(log, options);
    let caughtUp = false;
    while (!call.cancelled) {
      const records = source.take();
      for (const record of records) {
        if (!source.filter || source.filter(record)) await send(call, readEventResponse(record));
        if (source.checkpointDue()) await sendCheckpoint(call, record.position);
      }
      if (records.length > 0) {
        await nextTurn();
        continue;
      }
      if (!caughtUp) {
        caughtUp = true;
        if (source.filter) await sendCheckpoint(call, log.head);
        await send(call, new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp()));
      }
      await wake.wait();
    }
  } finally {
    unsubscribe();
  }
}

interface Source {
  readonly filter: Filter | undefined;
  take(): StoredRecord[];
  checkpointDue(): boolean;
}

function allSource(log: EventLog, options: streams.ReadReq.Options): Source {
  const all = options.getAll();
  const given = options.getFilter();
  const filter = filterOf(given);
  const window = given?.hasMax() ? given.getMax() : DEFAULT_WINDOW;
  const interval = window * Math.max(1, given?.getCheckpointintervalmultiplier() ?? 1);
  const position = all?.getPosition();
  let at = position ? Number(position.getCommitPosition()) + 1 : all?.hasEnd() ? log.head + 1 : 0;
  let considered = 0;
  return {
    filter,
    take: () => {
      const records = at > log.head ? [] : log.readAll(at, false, PAGE);
      at = (records.at(-1)?.position ?? at - 1) + 1;
      return records;
    },
    checkpointDue: () => {
      considered += 1;
      return filter !== undefined && considered % interval === 0;
    },
  };
}

function streamSource(log: EventLog, options: streams.ReadReq.Options): Source {
  const wanted = options.getStream();
  const stream = streamName(wanted?.getStreamIdentifier());
  let at = wanted?.hasRevision() ? Number(wanted.getRevision()) + 1 : wanted?.hasEnd() ? log.lastRevision(stream) + 1 : 0;
  return {
    filter: undefined,
    take: () => {
      const records = log.readStream(stream, at, false, PAGE);
      at += records.length;
      return records;
    },
    checkpointDue: () => false,
  };
}

async function sendCheckpoint(call: ReadCall, position: number): Promise<void> {
  const checkpoint = new streams.ReadResp.Checkpoint().setCommitPosition(position.toString()).setPreparePosition(position.toString());
  await send(call, new streams.ReadResp().setCheckpoint(checkpoint));
}

/** Waits while the reader is slower than the disk. */
async function send(call: ReadCall, response: ReadResponse): Promise<void> {
  if (call.cancelled || call.write(response)) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      for (const event of ['drain', 'cancelled', 'close', 'error']) call.off(event, done);
      resolve();
    };
    for (const event of ['drain', 'cancelled', 'close', 'error']) call.on(event, done);
  });
}

function invalid(details: string): grpc.ServiceError {
  return Object.assign(new Error(details), { code: grpc.status.INVALID_ARGUMENT, details, metadata: new grpc.Metadata() });
}

/** A wake-up that is not lost when it comes while nobody waits. */
class Wake {
  private due = false;
  private resolve: (() => void) | undefined;

  up(): void {
    this.due = true;
    this.resolve?.();
  }

  async wait(): Promise<void> {
    if (!this.due) {
      await new Promise<void>((resolve) => {
        this.resolve = resolve;
      });
    }
    this.due = false;
  }
}
