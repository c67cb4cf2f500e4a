import streams from '@eventstore/db-client/generated/streams_pb.js';
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Filter, filterOf } from './filter.js';
import { type EventLog } from './log.js';
import { counter, encoded, isOpen, type ReadCall, type ReadContext, send, streamOf } from './read-call.js';
import { type StoredRecord } from './tables.js';
import { TimeSlice } from './time-slice.js';

type Options = streams.ReadReq.Options;

const DEFAULT_WINDOW = 32;

/** The stream or log that a subscription reads page by page, with its position in it. */
interface Source {
  nextPage(): StoredRecord[];
  advancePast(record: StoredRecord): void;
}

/**
 * Serves a catch-up subscription. Both the catch-up and the live phase read from disk, and a commit wakes the live phase up. Unread
 * events stay on disk, and no event is lost or sent twice between the two phases.
 */
export async function subscribe({ log }: ReadContext, call: ReadCall, options: Options): Promise<void> {
  const signal = new WakeUpSignal();
  const wakeUp = (): void => {
    signal.notify();
  };
  const stopListening = log.onCommit(wakeUp);
  for (const ending of ['cancelled', 'error', 'close']) call.on(ending, wakeUp);
  try {
    const start = startOf(log, options);
    const source = options.hasAll() ? allSource(log, start) : streamSource(log, streamOf(options), start);
    const filter = options.hasAll() ? filterOf(options.getFilter()) : undefined;
    const checkpoints = filter ? new Checkpoints(call, options, start) : undefined;
    await send(
      call,
      encoded(new streams.ReadResp().setConfirmation(new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(randomUUID()))),
    );
    await sendFrom(source, filter, checkpoints, call);
    await checkpoints?.send();
    await send(call, encoded(new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp())));
    while (isOpen(call)) {
      await signal.wait();
      await sendFrom(source, filter, checkpoints, call);
    }
  } finally {
    stopListening();
  }
}

/** Sends events until none is left. */
async function sendFrom(source: Source, filter: Filter | undefined, checkpoints: Checkpoints | undefined, call: ReadCall): Promise<void> {
  const slice = new TimeSlice();
  for (let page = source.nextPage(); page.length > 0 && isOpen(call); page = source.nextPage()) {
    const dropPage = (): void => {
      page.length = 0;
    };
    for (const record of page) {
      if (!filter || filter(record.bytes)) await send(call, record.bytes, dropPage);
      source.advancePast(record);
      if (checkpoints?.isDueAfter(record.position)) await checkpoints.send();
      if (slice.isOver) await slice.yield();
    }
    await nextTurn();
  }
}

/** Returns the first position or revision to send, which is the one after the given one. */
function startOf(log: EventLog, options: Options): number {
  const all = options.getAll();
  if (all) {
    const position = all.getPosition();
    if (position) return counter(position.getCommitPosition()) + 1;
    return all.hasEnd() ? log.head + 1 : 1;
  }
  const stream = options.getStream();
  if (stream?.hasRevision()) return counter(stream.getRevision()) + 1;
  return stream?.hasEnd() ? log.lastRevision(streamOf(options)) + 1 : 0;
}

function allSource(log: EventLog, start: number): Source {
  let next = start;
  return {
    nextPage: () => {
      return next > log.head ? [] : log.readAll(next, log.head);
    },
    advancePast: ({ position }) => {
      next = position + 1;
    },
  };
}

function streamSource(log: EventLog, stream: Buffer, start: number): Source {
  let next = start;
  return {
    nextPage: () => {
      const last = log.lastRevision(stream);
      return next > last ? [] : log.readStream(stream, next, last);
    },
    advancePast: () => {
      next += 1;
    },
  };
}

/** Sends checkpoints to a filtered subscriber, so that its position advances even while no event passes the filter. */
class Checkpoints {
  private readonly interval: number;
  private readCount = 0;
  private position: number;

  constructor(
    private readonly call: ReadCall,
    options: Options,
    start: number,
  ) {
    const filter = options.getFilter();
    const window = filter?.hasMax() ? filter.getMax() : DEFAULT_WINDOW;
    this.interval = Math.max(1, window) * Math.max(1, filter?.getCheckpointintervalmultiplier() ?? 1);
    this.position = start - 1;
  }

  isDueAfter(position: number): boolean {
    this.position = position;
    this.readCount += 1;
    return this.readCount % this.interval === 0;
  }

  async send(): Promise<void> {
    const position = this.position.toString();
    const checkpoint = new streams.ReadResp.Checkpoint().setCommitPosition(position).setPreparePosition(position);
    await send(this.call, encoded(new streams.ReadResp().setCheckpoint(checkpoint)));
  }
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
