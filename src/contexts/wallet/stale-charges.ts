import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type Pool } from 'pg';
import { type Logger } from 'pino';
import { Clock } from '../../kernel/clock.js';
import { LOGGER, POOL } from '../../platform/injection-tokens.js';
import { WalletStream } from './wallet-stream.js';

/** Age in milliseconds from which an open charge is stale: the process that made it has probably died. */
export const STALE_AFTER_MS = 60_000;
const SWEEP_EVERY_MS = 10_000;

interface StaleChargesRow {
  readonly partner_id: string;
  /** Ids of lookups with a stored response. */
  readonly to_settle: readonly string[];
  /** Ids of lookups without a stored response. */
  readonly to_refund: readonly string[];
}

/**
 * Closes the charges that a dead process left open. Every instance sweeps; this is safe because each charge is decided on its wallet's
 * stream, where only the first sweep finds it open.
 */
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
          this.logger.warn({ reason: String(error) }, 'open charges could not be swept; retrying in 10 s');
        })
        .finally(() => {
          this.sweeping = undefined;
        });
    }, SWEEP_EVERY_MS);
  }

  /** Drains the wallet stream. The HTTP server is closed by now, so no lookup can add a charge. */
  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.sweeping;
    await this.stream.drain();
  }

  /** Settles the stale charges that have a stored response (docs/adr/0006) and refunds the others. */
  async sweep(): Promise<void> {
    const debitedBefore = new Date(this.clock.now().getTime() - STALE_AFTER_MS).toISOString();
    const { rows } = await this.pool.query<StaleChargesRow>(
      `select o.partner_id, array_remove(array_agg(case when k.response is not null then o.lookup_id end), null) as to_settle,
              array_remove(array_agg(case when k.response is null then o.lookup_id end), null) as to_refund
       from read.open_charge o left join ops.stored_response k on k.lookup_id = o.lookup_id
       where o.debited_at < $1 group by o.partner_id`,
      [debitedBefore],
    );
    for (const { partner_id, to_settle, to_refund } of rows) {
      const base = { partner_id, at: this.clock.iso(), actor: 'service' };
      await this.stream.execute(partner_id, { kind: 'settle', lookup_ids: to_settle, ...base });
      const refund = { kind: 'refund' as const, lookup_ids: to_refund, reason: 'no response was sent for the lookup', ...base };
      const { events } = await this.stream.execute(partner_id, refund);
      if (events.length > 0)
        this.logger.warn({ partner_id, refunds: events.length }, 'refunded stale charges: their lookups have no stored response');
    }
  }
}
