import { Injectable, Module } from '@nestjs/common';
import { SHORT_STREAM } from '../event-sourcing/stream-kind.js';
import { Codec } from '../event-sourcing/coding/codec.js';
import { EventStore } from '../event-sourcing/event-store.js';
import { StreamWriter } from '../event-sourcing/writing/stream-writer.js';
import { Clock } from '../../kernel/clock.js';
import { type IdKind, type IdsEvent, type LastIds } from './domain/events.js';
import { idsDecider, type ReserveIds } from './domain/reserve-ids.js';

/** Number of ids that one event reserves. Ids that are still unassigned when an instance stops are never used. */
const BLOCK: Readonly<Record<IdKind, number>> = { contribution: 256, endpoint: 1 };

/** Allocates integer ids from blocks that are reserved in the log, so that instances never assign an id twice, not even after a rebuild. */
@Injectable()
export class Ids {
  private readonly stream: StreamWriter<LastIds, ReserveIds, IdsEvent>;
  private readonly free = new Map<IdKind, number[]>();
  private readonly reserving = new Map<IdKind, Promise<void>>();

  constructor(
    eventStore: EventStore,
    codec: Codec,
    private readonly clock: Clock,
  ) {
    const wholeStateInLastEvent = { cachedStates: 1, replayFrom: ({ revision }: { revision: bigint }) => revision };
    this.stream = new StreamWriter(eventStore, codec, { ...SHORT_STREAM, ...wholeStateInLastEvent, category: 'ids', decider: idsDecider });
  }

  async next(kind: IdKind): Promise<number> {
    for (;;) {
      const id = this.free.get(kind)?.shift();
      if (id !== undefined) return id;
      await this.reserve(kind);
    }
  }

  /** Reserves a block. Concurrent callers share the same reservation. */
  private async reserve(kind: IdKind): Promise<void> {
    let reserving = this.reserving.get(kind);
    if (!reserving) {
      reserving = this.reserveBlock(kind).finally(() => this.reserving.delete(kind));
      this.reserving.set(kind, reserving);
    }
    await reserving;
  }

  private async reserveBlock(kind: IdKind): Promise<void> {
    const { events } = await this.stream.execute('main', { kind, count: BLOCK[kind], at: this.clock.iso(), actor: 'service' });
    for (const { data } of events) {
      this.free.set(
        kind,
        Array.from({ length: data.last_id - data.first_id + 1 }, (_, index) => data.first_id + index),
      );
    }
  }
}

/** Provides one id allocator per instance, so that all users share its reserved blocks. */
@Module({ providers: [Ids], exports: [Ids] })
export class IdsModule {}
