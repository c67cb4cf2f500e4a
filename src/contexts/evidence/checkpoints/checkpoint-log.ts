import { Injectable } from '@nestjs/common';
import { EventStore } from '../../../platform/event-sourcing/event-store.js';
import { type StoredEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { type CheckpointTimes } from '../domain/due.js';
import { type CheckpointSigned } from '../domain/events.js';
import { CheckpointRejection, CHECKPOINTS_STREAM, KEYS_STREAM } from '../domain/make-checkpoint.js';

export type Checkpoint = CheckpointSigned['data'];

const PAGE = 100;
/** Events at the log's end that are looked through for one that is neither a checkpoint nor a key. */
const TAIL = 64;

/** Reads checkpoints from the log. Events of other kinds in their stream are passed over. */
@Injectable()
export class CheckpointLog {
  /** The checkpoint of the largest tree up to a revision of the stream. */
  private known: { readonly revision: bigint; readonly checkpoint: Checkpoint | undefined } = { revision: -1n, checkpoint: undefined };

  constructor(private readonly eventStore: EventStore) {}

  /** Returns the last checkpoint. An earlier one that somebody has added again at the end is not the last: the log never gets shorter. */
  async last(): Promise<Checkpoint | undefined> {
    const newest = await this.eventStore.lastEvent(CHECKPOINTS_STREAM);
    if (!newest) return undefined;
    if (newest.revision < this.known.revision) this.known = { revision: -1n, checkpoint: undefined };
    if (newest.revision === this.known.revision) return this.known.checkpoint;
    let { checkpoint } = this.known;
    for await (const page of this.eventStore.streamPages(CHECKPOINTS_STREAM, this.known.revision + 1n))
      for (const event of page) {
        checkpoint = larger(checkpoint, checkpointIn(event));
        this.known = { revision: event.revision, checkpoint };
      }
    return checkpoint;
  }

  /** @throws Rejection `checkpoint_unknown` */
  async get(number: number): Promise<Checkpoint> {
    const checkpoint = await this.find(number);
    if (!checkpoint) throw new CheckpointRejection('checkpoint_unknown');
    return checkpoint;
  }

  async find(number: number): Promise<Checkpoint | undefined> {
    const stored = number < 1 ? undefined : await this.eventStore.eventIn(CHECKPOINTS_STREAM, BigInt(number - 1));
    return stored && checkpointIn(stored);
  }

  /** Returns up to `limit` checkpoints before a number, newest first; without a number, the newest ones. */
  async list(limit: number, before?: number): Promise<Checkpoint[]> {
    const found: Checkpoint[] = [];
    for (let from = before === undefined ? undefined : BigInt(before - 2); from === undefined || from >= 0n;) {
      const page = await this.eventStore.readStream(CHECKPOINTS_STREAM, {
        ...(from === undefined ? {} : { from }),
        backwards: true,
        maxCount: PAGE,
      });
      found.push(...page.flatMap((event) => checkpointIn(event) ?? []));
      const last = page.at(-1);
      if (!last || found.length >= limit) break;
      from = last.revision - 1n;
    }
    return found.slice(0, limit);
  }
}

function larger(one: Checkpoint | undefined, other: Checkpoint | undefined): Checkpoint | undefined {
  return one && other && other.tree_size < one.tree_size ? one : (other ?? one);
}

function checkpointIn({ type, data }: StoredEvent): Checkpoint | undefined {
  return type === ('CheckpointSigned' satisfies CheckpointSigned['type']) ? (data as unknown as Checkpoint) : undefined;
}

/**
 * Reads the times from which it follows whether a checkpoint is due. An event that was recorded while the last checkpoint was being signed
 * counts as covered here; the process that signs them knows better.
 */
export async function checkpointTimes(eventStore: EventStore): Promise<CheckpointTimes> {
  const last = await eventStore.lastEvent(CHECKPOINTS_STREAM);
  const signed = last && checkpointIn(last);
  const firstEvent = await firstOtherAfter(eventStore, signed ? last.position : undefined);
  return { last: signed?.recorded_at ?? null, firstEvent: firstEvent?.toISOString() ?? null };
}

/** Returns when the first event after a position was recorded that is neither a checkpoint nor a key. */
async function firstOtherAfter(eventStore: EventStore, position: bigint | undefined): Promise<Date | undefined> {
  for (let after = position; ;) {
    const { events, since, next } = await eventStore.allPage({ after, maxCount: TAIL });
    if (next === undefined) return undefined;
    if (events.some(({ stream }) => stream !== CHECKPOINTS_STREAM && stream !== KEYS_STREAM)) return since;
    after = next;
  }
}
