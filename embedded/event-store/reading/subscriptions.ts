import streams from '@eventstore/db-client/generated/streams_pb.js';
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Checkpoints } from './filter-checkpoints.js';
import { type EventLog } from '../storing/log.js';
import { encoded, isOpen, type ReadCall, type ReadContext, send } from './read-call.js';
import { type AllRequest, type Place, positionIn, type StreamRequest } from './requested-read.js';
import { type ReadForm, readFormOf } from './read-form.js';
import { TombstonedStream } from '../serving/grpc-errors.js';
import { type StoredRecord } from '../storing/tables.js';
import { TimeSlice } from '../storing/time-slice.js';

/** The stream or log that a subscription reads page by page, with its position in it. */
interface Source {
  nextPage(): StoredRecord[];
  advancePast(record: StoredRecord): void;
  /** Whether the event passes the filter. */
  matches(record: StoredRecord): boolean;
  readonly checkpoints?: Checkpoints | undefined;
  goLive?(): void;
}

/**
 * Serves a catch-up subscription. Both the catch-up and the live phase read from disk, and a commit wakes the live phase up. Unread
 * events stay on disk, and no event is lost or sent twice between the two phases.
 */
export async function subscribe({ log }: ReadContext, call: ReadCall, request: StreamRequest | AllRequest): Promise<void> {
  const signal = new WakeUpSignal();
  const wakeUp = (): void => {
    signal.notify();
  };
  const stopListening = log.onCommit(wakeUp);
  for (const ending of ['cancelled', 'error', 'close']) call.on(ending, wakeUp);
  const form = readFormOf(log, request);
  try {
    const source = request.kind === 'all' ? allSource(log, request) : streamSource(log, request);
    await send(
      call,
      encoded(new streams.ReadResp().setConfirmation(new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(randomUUID()))),
    );
    await sendFrom(source, call, form);
    await sendCheckpoint(call, source.checkpoints?.goLive());
    source.goLive?.();
    await send(call, encoded(new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp())));
    while (isOpen(call)) {
      await signal.wait();
      await sendFrom(source, call, form);
    }
  } finally {
    stopListening();
  }
}

/** Sends events until none is left. */
async function sendFrom(source: Source, call: ReadCall, form: ReadForm): Promise<void> {
  const slice = new TimeSlice();
  for (let page = source.nextPage(); page.length > 0 && isOpen(call); page = source.nextPage()) {
    const dropPage = (): void => {
      page.length = 0;
    };
    for (const record of page) {
      const isSent = source.matches(record);
      if (isSent) await send(call, form(record.bytes), dropPage);
      source.advancePast(record);
      await sendCheckpoint(call, source.checkpoints?.after(record.position, isSent));
      if (slice.isOver) await slice.yield();
    }
    await nextTurn();
  }
}

async function sendCheckpoint(call: ReadCall, place: Place | undefined): Promise<void> {
  if (!place) return;
  const checkpoint = new streams.ReadResp.Checkpoint().setCommitPosition(String(place.commit)).setPreparePosition(String(place.prepare));
  await send(call, encoded(new streams.ReadResp().setCheckpoint(checkpoint)));
}

/** Begins at the given place, whose event counts for the checkpoints and is sent only if the place lies before it. */
function allSource(log: EventLog, request: AllRequest): Source {
  const place = typeof request.start === 'object' ? request.start : undefined;
  const given = place && positionIn(log, place, false);
  const isBehind = given !== undefined && given < log.head;
  let next = given === undefined ? (request.start === 'end' ? log.head + 1 : 1) : isBehind ? given : given + 1;
  const { filter } = request;
  return {
    nextPage: () => (next > log.head ? [] : log.readAll(next, log.head)),
    advancePast: ({ position }) => {
      next = position + 1;
    },
    matches: ({ position, bytes }) => (position !== given || place?.prepare !== place?.commit) && (!filter || filter(bytes)),
    checkpoints: filter && new Checkpoints(request, isBehind ? place : undefined),
  };
}

function streamSource(log: EventLog, { stream, start }: StreamRequest): Source {
  let next = start === 'end' ? log.newestRevision(stream) + 1 : typeof start === 'number' ? start + 1 : 0;
  let isLive = false;
  if (log.isTombstoned(stream)) throw new TombstonedStream(stream.toString());
  return {
    goLive: () => {
      isLive = true;
    },
    nextPage: () => {
      // Metadata hides events from the catch-up phase only, and a live subscription gets the event that ends the stream.
      const last = isLive ? log.newestRevision(stream) : log.lastRevision(stream);
      if (!isLive) next = Math.max(next, log.firstRevision(stream));
      return next > last ? [] : log.readStream(stream, next, last);
    },
    advancePast: () => {
      next += 1;
    },
    matches: () => true,
  };
}

/** A wake-up signal that is not lost when it is sent before {@link wait}. */
class WakeUpSignal {
  private due = false;
  private resolve: (() => void) | undefined;

  notify(): void {
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
