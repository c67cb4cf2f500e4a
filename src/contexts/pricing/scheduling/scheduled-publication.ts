import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type Logger } from 'pino';
import { Clock } from '../../../kernel/clock.js';
import { LOGGER } from '../../../platform/injection-tokens.js';
import { RepeatedWork } from '../../../platform/repeated-work.js';
import { Outages } from '../../../platform/store-outages.js';
import { DuePriceBooks } from '../publishing/due-price-books.js';

const CHECK_EVERY_MS = 5_000;

/**
 * Publishes scheduled price books that are due, for read models and for releases that know only what was published. Every API does. No
 * price depends on it: lookups charge a scheduled price book from its time on (get-price-book.query.ts).
 */
@Injectable()
export class ScheduledPublication implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly outages = new Outages();
  private readonly checks = new RepeatedWork(
    CHECK_EVERY_MS,
    () => this.publishDue(),
    (error) => {
      if (this.outages.isNew(error))
        this.logger.warn({ reason: String(error) }, 'the scheduled price book could not be published; retrying every 5 s');
    },
  );

  constructor(
    private readonly due: DuePriceBooks,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.checks.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.checks.stop();
  }

  /** Publishes the scheduled price books whose time has come. */
  async publishDue(): Promise<void> {
    const at = this.clock.iso();
    if ((await this.due.at(at)).length === 0) return;
    const { events } = await this.due.publish(at);
    await this.due.fulfil(at);
    for (const { data } of events) this.logger.info({ version: data.version }, 'the scheduled price book was published');
  }
}
