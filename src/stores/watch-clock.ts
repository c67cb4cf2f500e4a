import { type Pool } from 'pg';
import { type Logger } from 'pino';
import { type Clock } from '../kernel/clock.js';
import { type EventStore } from '../platform/event-sourcing/event-store.js';
import { type ClockGuard, type ClockSample } from '../platform/event-sourcing/writing/clock-guard.js';

const EVERY_MS = 1_000;

/** Compares the clock of a process with the database's every second, and logs when it becomes wrong and right again. */
export class ClockWatch {
  private wrong = false;
  private named: bigint | undefined;
  private stopped = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly guard: ClockGuard,
    private readonly stores: { readonly pool: Pool; readonly eventStore: Pick<EventStore, 'rawEventAt'> },
    private readonly clock: Clock,
    private readonly logger?: Logger,
  ) {}

  /** Returns after the first measurement, or after the database did not respond to it. */
  async start(): Promise<void> {
    await this.measure();
    if (this.stopped) return;
    void this.measureEventStore();
    this.timer = setTimeout(() => void this.start(), EVERY_MS);
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private async measure(): Promise<void> {
    try {
      const sample = await readDatabaseClock(this.stores.pool, this.clock);
      if (sample) this.guard.databaseMeasured(sample);
    } catch {
      // The last measurement counts until the database responds again.
    }
    if (!this.stopped) this.report();
  }

  /** Reads an append of this process again, about once a minute: the event store tells its time of events only. */
  private async measureEventStore(): Promise<void> {
    const append = this.guard.takeAppend();
    if (!append) return;
    try {
      const event = await this.stores.eventStore.rawEventAt(append.position);
      if (event) this.guard.eventStoreMeasured({ ...append, storeMs: event.createdMs });
    } catch {
      // The next append is read in its place.
    }
  }

  private report(): void {
    const fault = this.guard.fault();
    if (fault !== undefined && !this.wrong) this.logger?.error({ reason: fault }, 'the clock is wrong, so this process appends no events');
    if (fault === undefined && this.wrong) this.logger?.warn('the clock is right again');
    this.wrong = fault !== undefined;
    const ahead = this.guard.eventAhead();
    if (!ahead || ahead.position === this.named) return;
    this.named = ahead.position;
    const { category, position, recordedAt } = ahead;
    this.logger?.warn(
      { category, position: position.toString(), recorded_at: recordedAt },
      'an event is dated ahead of the database’s clock',
    );
  }
}

const QUERY_TIMEOUT_MS = 5_000;
/** A response that took longer says too little about the database's clock. */
const MAX_ROUND_TRIP_MS = 2_000;
const NOW = 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms';

/**
 * Reads the database's clock. The time of the reading is uncertain by half the round trip, which includes the wait for a connection.
 * @returns undefined if the database took so long that the reading says nothing
 */
export async function readDatabaseClock(pool: Pool, clock: Clock): Promise<ClockSample | undefined> {
  const before = clock.elapsedMs();
  const { rows } = await pool.query<{ now_ms: number }>({ text: NOW, query_timeout: QUERY_TIMEOUT_MS } as { text: string });
  const roundTrip = clock.elapsedMs() - before;
  const [row] = rows;
  if (!row || roundTrip > MAX_ROUND_TRIP_MS) return undefined;
  return { storeMs: row.now_ms, elapsedMs: before + roundTrip / 2, uncertaintyMs: roundTrip / 2 };
}
