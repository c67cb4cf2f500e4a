import { type Pool } from 'pg';
import { type Clock } from '../../kernel/clock.js';
import { type ClockSample } from '../event-sourcing/writing/clock-guard.js';

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
