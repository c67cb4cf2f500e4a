import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Pool } from 'pg';
import { type Logger } from 'pino';
import { Clock } from '../../../kernel/clock.js';
import { LOGGER, POOL } from '../../../platform/injection-tokens.js';

const HOUR_MS = 3_600_000;
/** Milliseconds in which the first uses of several keys are collected, so that they are written in one statement. */
const COLLECT_MS = 500;
const RETRY_MS = 60_000;

/**
 * Records in which hour each key was last used. A call costs a look into a map: only the first use of a key in an hour is written, in the
 * background, so at most once an hour for each key and instance. A kill loses the uses of the last seconds.
 */
@Injectable()
export class ApiKeyUses implements OnApplicationShutdown {
  /** The keys that were used in the hour `hour`, counted from 1970. */
  private used = new Set<string>();
  private hour = 0;
  /** The hour of the last use by key, not written yet. */
  private unwritten = new Map<string, number>();
  private cancelTimer: (() => void) | undefined;

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly clock: Clock,
  ) {}

  note(keyId: string): void {
    const hour = Math.floor(this.clock.now().getTime() / HOUR_MS);
    if (hour !== this.hour) [this.used, this.hour] = [new Set(), hour];
    if (this.used.has(keyId)) return;
    this.used.add(keyId);
    this.unwritten.set(keyId, hour);
    this.writeLater(COLLECT_MS);
  }

  /** Writes what is not written yet. After a failure, which is logged, the uses are written a minute later. */
  async write(): Promise<void> {
    this.cancelTimer?.();
    this.cancelTimer = undefined;
    const uses = this.unwritten;
    if (uses.size === 0) return;
    this.unwritten = new Map();
    try {
      await this.pool.query(
        `insert into ops.api_key_use (key_id, last_used_at) select * from unnest($1::text[], $2::timestamptz[])
         on conflict (key_id) do update set last_used_at = greatest(ops.api_key_use.last_used_at, excluded.last_used_at)`,
        [[...uses.keys()], [...uses.values()].map((hour) => new Date(hour * HOUR_MS).toISOString())],
      );
    } catch (error) {
      for (const [keyId, hour] of uses) if (!this.unwritten.has(keyId)) this.unwritten.set(keyId, hour);
      this.logger.warn({ reason: (error as Error).message }, 'the last use of API keys could not be written');
      this.writeLater(RETRY_MS);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.write();
    this.cancelTimer?.();
  }

  private writeLater(ms: number): void {
    this.cancelTimer ??= this.clock.after(ms, () => {
      this.cancelTimer = undefined;
      void this.write();
    });
  }
}
