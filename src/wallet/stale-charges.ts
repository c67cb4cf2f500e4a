import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type Pool } from 'pg';
import { type Logger } from 'pino';
import { Clock } from '../infrastructure/clock.js';
import { LOGGER, POOL } from '../infrastructure/tokens.js';
import { WalletStream } from './wallet-stream.js';

/** A charge that nobody closed for this long belongs to a process that was killed. */
const STALE_AFTER_MS = 60_000;
const SWEEP_EVERY_MS = 10_000;

/** Refunds what a killed process left open. Every instance sweeps: each charge is decided on its wallet's own stream. */
@Injectable()
export class StaleCharges implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<void> | undefined;

  constructor(
    private readonly stream: WalletStream,
    private readonly clock: Clock,
    @Inject(POOL) private readonly pool: Pool,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.sweeping ??= this.sweep()
        .catch((error: unknown) => {
          this.logger.warn({ reason: String(error) }, 'open charges could not be swept; trying again');
        })
        .finally(() => {
          this.sweeping = undefined;
        });
    }, SWEEP_EVERY_MS);
  }

  /** The HTTP server is closed by now: no look-up can open another charge. */
  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.sweeping;
    await this.stream.drain();
  }

  /** Answers how many were refunded. */
  async sweep(): Promise<void> {
    const debited_before = new Date(this.clock.now().getTime() - STALE_AFTER_MS).toISOString();
    const { rows } = await this.pool.query<{ partner_id: string }>('select distinct partner_id from read.open_charge where debited_at < $1', [debited_before]);
    for (const { partner_id } of rows) {
      const reason = 'the look-up was never answered';
      const command = { kind: 'refund-stale' as const, partner_id, debited_before, reason, at: this.clock.iso(), actor: 'service' };
      const { events } = await this.stream.execute(partner_id, command);
      if (events.length > 0) this.logger.warn({ partner_id, refunds: events.length }, 'refunded charges that were left open');
    }
  }
}
