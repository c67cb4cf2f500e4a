import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type Pool } from 'pg';
import { type Logger } from 'pino';
import { Clock } from '../../kernel/clock.js';
import { LOGGER, POOL } from '../../platform/injection-tokens.js';
import { WalletStream } from './wallet-stream.js';

/** A charge that nobody closed for this long, in ms, belongs to a process that was killed. */
export const STALE_AFTER_MS = 60_000;
const SWEEP_EVERY_MS = 10_000;

interface Stale {
  readonly partner_id: string;
  /** Ids of lookups. */
  readonly answered: readonly string[];
  readonly unanswered: readonly string[];
}

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

  /** The HTTP server is closed by now: no lookup can open another charge. */
  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.sweeping;
    await this.stream.drain();
  }

  /** Settles what was answered, as a stored response shows (docs/adr/0006), and refunds the rest. */
  async sweep(): Promise<void> {
    const debited_before = new Date(this.clock.now().getTime() - STALE_AFTER_MS).toISOString();
    const { rows } = await this.pool.query<Stale>(
      `select o.partner_id, array_remove(array_agg(case when k.response is not null then o.lookup_id end), null) as answered,
              array_remove(array_agg(case when k.response is null then o.lookup_id end), null) as unanswered
       from read.open_charge o left join ops.stored_response k on k.lookup_id = o.lookup_id
       where o.debited_at < $1 group by o.partner_id`,
      [debited_before],
    );
    for (const { partner_id, answered, unanswered } of rows) {
      const circumstances = { partner_id, at: this.clock.iso(), actor: 'service' };
      await this.stream.execute(partner_id, { kind: 'settle', lookup_ids: answered, ...circumstances });
      const refund = { kind: 'refund' as const, lookup_ids: unanswered, reason: 'no response was sent for the lookup', ...circumstances };
      const { events } = await this.stream.execute(partner_id, refund);
      if (events.length > 0) this.logger.warn({ partner_id, refunds: events.length }, 'refunded charges that were left open');
    }
  }
}
