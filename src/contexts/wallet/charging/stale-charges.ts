import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type Pool } from 'pg';
import { type Logger } from 'pino';
import { examinedCharges, openLookups } from '../../../../projections/open-charge/open-charge.reader.js';
import { Clock } from '../../../kernel/clock.js';
import { InstancePresence } from '../../../platform/database/instances/instance-presence.js';
import { LOCKS } from '../../../platform/database/instances/locks.js';
import { LOGGER, POOL } from '../../../platform/injection-tokens.js';
import { RepeatedWork } from '../../../platform/repeated-work.js';
import { endInvalidLeases } from '../../../platform/stored-responses/stored-response-table.js';
import { Outages } from '../../../platform/store-outages.js';
import { Charges } from './charges.js';
import { chargeOutcome, LEASE_SECONDS, responseOfStale, type StaleCharge } from '../domain/charge-outcome.js';
import { WALLET_STREAMS } from '../domain/wallet.js';
import { Streams } from '../../../platform/event-sourcing/writing/stream-writer.js';

/**
 * How long a sweeper must have seen a charge open before it looks closer, in milliseconds of its own stopwatch. By then the lease of an
 * Idempotency-Key has ended.
 */
const EXAMINED_AFTER_MS = LEASE_SECONDS * 1_000;
const SWEEP_EVERY_MS = 10_000;
/** Charges of a wallet that are closed in one append. Processes that die again and again may leave more open than an append can hold. */
const MAX_CLOSED = 250;
/** Maximum number of wallets that the log names in one sweep, because a store that is away fails them all. */
const MAX_NAMED = 10;

/**
 * Closes the charges that a dead process left open. Every instance sweeps; this is safe because each charge is decided on its wallet's
 * stream, where only the first sweep finds it open. No wall clock takes part (docs/adr/0020).
 */
@Injectable()
export class StaleCharges implements OnApplicationBootstrap, OnApplicationShutdown {
  private stopping = false;
  private readonly outages = new Outages();
  private readonly sweeps = new RepeatedWork(
    SWEEP_EVERY_MS,
    () => this.sweep(),
    (error) => {
      if (this.outages.isNew(error)) this.logger.warn({ reason: String(error) }, 'open charges could not be swept; retrying every 10 s');
    },
  );
  /** When this sweeper first saw each open charge, on its stopwatch. */
  private seen = new Map<string, number>();

  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
    private readonly charges: Charges,
    private readonly presence: InstancePresence,
    @Inject(POOL) private readonly pool: Pool,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.presence.start();
    this.sweeps.start();
  }

  /** Drains the wallets. The HTTP server is closed by now, so no lookup can add a charge. */
  async onApplicationShutdown(): Promise<void> {
    this.stopping = true;
    await this.sweeps.stop();
    await this.streams.of(WALLET_STREAMS).drain();
    await this.presence.stop();
  }

  /**
   * Settles the stale charges whose response was or may have been sent, refunds those without one, and leaves the others to their instance.
   * A wallet that fails is logged and left to the next sweep.
   */
  async sweep(): Promise<void> {
    const stale = await this.staleLookups();
    if (stale.length === 0) return;
    await endInvalidLeases(this.pool, stale, LEASE_SECONDS);
    const examined = await examinedCharges(this.pool, stale, LOCKS.instancePresence);
    let failed = 0;
    for (const [partner_id, charges] of Map.groupBy(examined, (row) => row.partner_id)) {
      if (this.stopping) break;
      try {
        await this.closeStale(partner_id, charges);
      } catch (error) {
        // One wallet that cannot be read or written must not keep the charges of the others open.
        failed += 1;
        if (failed <= MAX_NAMED)
          this.logger.error({ partner_id, reason: String(error) }, 'open charges of a wallet could not be closed; retrying in 10 s');
      }
    }
    if (failed > MAX_NAMED) this.logger.error({ wallets: failed }, 'open charges of many wallets could not be closed; retrying in 10 s');
  }

  private async closeStale(partner_id: string, stale: readonly Omit<StaleCharge, 'seenForMs'>[]): Promise<void> {
    const sweeper = { instance: this.presence.instance, responseOf: (id: string) => this.charges.responseOf(id) };
    const byResponse = Map.groupBy(stale, (charge) => responseOfStale({ ...charge, seenForMs: this.seenForMs(charge.lookup_id) }, sweeper));
    for (const [response, charges] of byResponse) {
      const lookups = charges.map(({ lookup_id }) => lookup_id);
      let entries = 0;
      for (let from = 0; from < lookups.length; from += MAX_CLOSED) {
        if (this.stopping) return;
        entries += (await this.charges.closeAll(partner_id, lookups.slice(from, from + MAX_CLOSED), response)).entries;
      }
      if (entries > 0 && chargeOutcome(response) !== 'settle')
        this.logger.warn({ partner_id, refunds: entries }, 'refunded stale charges: their lookups have no stored response');
    }
  }

  /** Returns the lookups that this sweeper has seen open for long enough. */
  private async staleLookups(): Promise<string[]> {
    const open = await openLookups(this.pool);
    const now = this.clock.elapsedMs();
    this.seen = new Map(open.map((id) => [id, this.seen.get(id) ?? now]));
    return open.filter((id) => this.seenForMs(id) >= EXAMINED_AFTER_MS);
  }

  private seenForMs(lookupId: string): number {
    const now = this.clock.elapsedMs();
    return now - (this.seen.get(lookupId) ?? now);
  }
}
