import { type Pool } from 'pg';
import pino from 'pino';
import { InstancePresence } from '../../src/platform/database/instances/instance-presence.js';
import { SystemClock } from '../../src/platform/system-clock.js';
import { Charges } from '../../src/contexts/wallet/charging/charges.js';
import { type EarlierKeys } from '../../src/contexts/wallet/charging/earlier-keys.js';
import { STALE_AFTER_MS } from '../../src/contexts/wallet/domain/charge-outcome.js';
import { StaleCharges } from '../../src/contexts/wallet/charging/stale-charges.js';
import { type WALLET_STREAMS } from '../../src/contexts/wallet/domain/wallet.js';
import { type WriterOf } from '../../src/platform/event-sourcing/writing/stream-writer.js';
import { streamsOf } from './streams-of.js';

class Stopwatch extends SystemClock {
  private skippedMs = 0;

  skip(ms: number): void {
    this.skippedMs += ms;
  }

  override elapsedMs(): number {
    return super.elapsedMs() + this.skippedMs;
  }
}

/** The sweep of one instance, whose stopwatch can be advanced. */
export interface Sweeper {
  readonly instance: number;
  readonly charges: Charges;
  readonly presence: InstancePresence;
  /** The lines that the sweep has logged at the level error. */
  errors(): readonly Readonly<Record<string, unknown>>[];
  sweep(): Promise<void>;
  /** Sweeps, lets a minute pass on the stopwatch, and sweeps again: closes what was already open and is not left to another instance. */
  sweepStale(): Promise<void>;
}

export function startSweeper(wallets: Pick<WriterOf<typeof WALLET_STREAMS>, 'execute'>, pool: Pool): Sweeper {
  const clock = new Stopwatch();
  const streams = streamsOf(wallets);
  const presence = new InstancePresence(pool, new SystemClock());
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ level: 'error' }, { write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) });
  const charges = new Charges(streams, clock, presence, { of: () => undefined } as unknown as EarlierKeys);
  const stale = new StaleCharges(streams, clock, charges, presence, pool, logger);
  return {
    instance: presence.instance,
    charges,
    presence,
    errors: () => lines,
    sweep: () => stale.sweep(),
    sweepStale: async () => {
      await stale.sweep();
      clock.skip(STALE_AFTER_MS);
      await stale.sweep();
    },
  };
}
