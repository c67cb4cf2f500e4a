import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { type AnnouncedMaintenance, MaintenanceMode } from '../../http/limiting/maintenance-mode.js';
import { type Codec } from '../../platform/event-sourcing/coding/codec.js';
import { type EventStore, HistoryMissing } from '../../platform/event-sourcing/event-store.js';
import { StreamWriter, Streams } from '../../platform/event-sourcing/writing/stream-writer.js';
import { DirectoryCache } from '../../platform/projecting/in-memory/directory-lease.js';
import { ReadModelListener } from '../../platform/projecting/in-memory/read-model-listener.js';
import { isInForce, type Maintenance, MAINTENANCE_ID, MAINTENANCE_STREAMS } from './domain/maintenance.js';

/**
 * Milliseconds after which the log is asked again. A process that dies between its append and its announcement, or cannot reach PostgreSQL
 * then, leaves the other instances with what they have cached.
 */
const REREAD_MS = 10_000;

interface Cached {
  readonly maintenance: Maintenance | null;
}

/** The maintenance that the log tells of. Every instance caches it, like partners, keys and prices, until a change is announced. */
@Injectable()
export class RecordedMaintenance extends MaintenanceMode {
  private readonly cache: DirectoryCache<Cached>;

  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
    listener: ReadModelListener,
  ) {
    super();
    this.cache = new DirectoryCache(listener, 1);
  }

  async inForce(): Promise<AnnouncedMaintenance | null> {
    const age = Math.floor(this.clock.elapsedMs() / REREAD_MS);
    const { maintenance } = await this.cache.get(String(age), async () => ({ maintenance: await unlessMissing(this.recorded()) }));
    return isInForce(maintenance, this.clock.now().getTime()) ? maintenance : null;
  }

  /** Returns the maintenance that is in force as the log tells now, without the cache. @throws HistoryMissing */
  async current(): Promise<Maintenance | null> {
    const maintenance = await this.recorded();
    return isInForce(maintenance, this.clock.now().getTime()) ? maintenance : null;
  }

  private async recorded(): Promise<Maintenance | null> {
    return (await this.streams.of(MAINTENANCE_STREAMS).load(MAINTENANCE_ID)).state;
  }
}

/**
 * Returns null in place of what a missing history hides. A person who may hide this stream could otherwise stop all partners by it; and a
 * restore or a move, for which there is maintenance, loses nothing if somebody writes meanwhile.
 */
export async function unlessMissing<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof HistoryMissing) return null;
    throw error;
  }
}

/** Returns the maintenance that is in force, for a process or thread without the application. @throws HistoryMissing */
export async function maintenanceInForce(eventStore: EventStore, codec: Codec, now: Date): Promise<Maintenance | null> {
  const { state } = await new StreamWriter(eventStore, codec, MAINTENANCE_STREAMS).load(MAINTENANCE_ID);
  return isInForce(state, now.getTime()) ? state : null;
}
