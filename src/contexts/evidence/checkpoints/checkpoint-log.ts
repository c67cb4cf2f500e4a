import { Injectable } from '@nestjs/common';
import { EventStore } from '../../../platform/event-sourcing/event-store.js';
import { type StoredEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { type CheckpointTimes } from '../domain/due.js';
import { type AdoptLog, LOG_STREAM } from '../domain/log-adoption.js';
import { type CheckpointSigned, type LogAdopted } from '../domain/events.js';
import { CheckpointRejection, CHECKPOINTS_STREAM, KEYS_STREAM } from '../domain/make-checkpoint.js';
import { noteParts } from '../domain/signed-note.js';
import { parseTreeHead } from '../domain/tree-head.js';

export type Checkpoint = CheckpointSigned['data'];

const PAGE = 100;
/** The value before anything was read. */
const NOTHING = { revision: -1n, checkpoint: undefined };
/** Events at the log's end that are looked through for one that is neither a checkpoint nor a key. */
const TAIL = 64;

/** Reads checkpoints from the log. Events of other kinds in their stream are passed over. */
@Injectable()
export class CheckpointLog {
  /** The checkpoint of the largest tree of the present log up to a revision of the stream. */
  private known: { readonly revision: bigint; readonly checkpoint: Checkpoint | undefined } = NOTHING;
  /** The decisions that began new logs, oldest first, up to a revision of their stream. */
  private adopted: { readonly revision: bigint; readonly adoptions: readonly AdoptLog[] } = { revision: -1n, adoptions: [] };

  constructor(private readonly eventStore: EventStore) {}

  /** Returns the decisions that began new logs in place of ones that lost events, oldest first (docs/adr/0046). */
  async adoptions(): Promise<readonly AdoptLog[]> {
    const newest = await this.eventStore.lastEvent(LOG_STREAM);
    const { revision, adoptions } = this.adopted;
    if (!newest || newest.revision === revision) return newest ? adoptions : [];
    const found: AdoptLog[] = [];
    for await (const page of this.eventStore.streamPages(LOG_STREAM)) found.push(...page.flatMap((event) => adoptionIn(event) ?? []));
    if (found.length !== adoptions.length) this.known = NOTHING;
    this.adopted = { revision: newest.revision, adoptions: found };
    return found;
  }

  /**
   * Returns the last checkpoint of the present log. An earlier one that somebody has added again at the end is not the last: the log never
   * gets shorter.
   */
  async last(): Promise<Checkpoint | undefined> {
    const present = (await this.adoptions()).at(-1);
    const newest = await this.eventStore.lastEvent(CHECKPOINTS_STREAM);
    if (!newest) return undefined;
    if (newest.revision < this.known.revision) this.known = NOTHING;
    if (newest.revision === this.known.revision) return this.known.checkpoint;
    let { checkpoint } = this.known;
    for await (const page of this.eventStore.streamPages(CHECKPOINTS_STREAM, this.known.revision + 1n))
      for (const event of page) {
        const signed = checkpointIn(event);
        if (!present || (signed && originOf(signed) === present.origin)) checkpoint = larger(checkpoint, signed);
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

function adoptionIn({ type, data }: StoredEvent): AdoptLog | undefined {
  return type === ('LogAdopted' satisfies LogAdopted['type']) ? (data as unknown as AdoptLog) : undefined;
}

/** Returns the origin in a checkpoint's note; empty if the note is malformed. */
export function originOf({ note }: Pick<Checkpoint, 'note'>): string {
  return parseTreeHead(noteParts(note)?.text ?? '')?.origin ?? '';
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
