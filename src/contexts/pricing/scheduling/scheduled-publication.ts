import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type Logger } from 'pino';
import { Clock } from '../../../kernel/clock.js';
import { LOGGER } from '../../../platform/injection-tokens.js';
import { RepeatedWork } from '../../../platform/repeated-work.js';
import { Outages } from '../../../platform/store-outages.js';
import { type Fees } from '../domain/price-book.js';
import { PublishFeesHandler } from '../publishing/publish-fees.command.js';
import { PRICE_SCHEDULE_ID, PRICE_SCHEDULE_STREAMS } from '../domain/price-schedule.js';
import { Streams } from '../../../platform/event-sourcing/writing/streams.js';

const CHECK_EVERY_MS = 5_000;

/**
 * Publishes the scheduled price book when it is due. Every API does; the price book's stream lets only the first publication of a schedule
 * count. Lookups know nothing of schedules: the version in force is the newest that was published, as the log tells.
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
    private readonly streams: Streams,
    private readonly publish: PublishFeesHandler,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.checks.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.checks.stop();
  }

  /** Publishes the scheduled price book if its time has come. */
  async publishDue(): Promise<void> {
    const { pending } = (await this.streams.of(PRICE_SCHEDULE_STREAMS).load(PRICE_SCHEDULE_ID)).state;
    if (!pending || Date.parse(pending.effective_at) > this.clock.now().getTime()) return;
    const { fees_kobo, actor, schedule_revision } = pending;
    const { version } = await this.publish.publish({ fees_kobo: fees_kobo as Fees, actor, schedule_revision });
    await this.streams
      .of(PRICE_SCHEDULE_STREAMS)
      .execute(PRICE_SCHEDULE_ID, { kind: 'fulfil', schedule_revision, at: this.clock.iso(), actor });
    this.logger.info({ version }, 'the scheduled price book was published');
  }
}
