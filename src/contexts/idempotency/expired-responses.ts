import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type Pool } from 'pg';
import { type Logger } from 'pino';
import { RepeatedDeletion } from '../../platform/database/delete-old-rows.js';
import { LOGGER, POOL } from '../../platform/injection-tokens.js';
import { oldResponses } from '../../platform/stored-responses/stored-response-table.js';
import { DeletedRowsMetrics } from '../../platform/metrics/definitions/deleted-rows.js';
import { RETENTION_HOURS } from './stored-responses.js';

/** Deletes stored responses that no request can receive any more. */
@Injectable()
export class ExpiredResponses implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly deletions: RepeatedDeletion;

  constructor(@Inject(POOL) pool: Pool, @Inject(LOGGER) logger: Logger, metrics: DeletedRowsMetrics) {
    const count = metrics.deleted.bind(metrics);
    this.deletions = new RepeatedDeletion(pool, oldResponses(RETENTION_HOURS), count, (error) => {
      logger.warn({ reason: String(error) }, 'expired stored responses could not be deleted; retrying in 10 minutes');
    });
  }

  onApplicationBootstrap(): void {
    this.deletions.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.deletions.stop();
  }

  /** Deletes all expired responses. */
  async delete(): Promise<void> {
    await this.deletions.run();
  }
}
