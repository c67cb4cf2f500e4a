import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type Pool } from 'pg';
import { type Logger } from 'pino';
import { deleteOldRows } from '../../platform/database/delete-old-rows.js';
import { LOGGER, POOL } from '../../platform/injection-tokens.js';
import { RepeatedWork } from '../../platform/repeated-work.js';
import { oldResponses } from '../../platform/stored-responses/stored-response-table.js';
import { DeletedRowsMetrics } from '../../platform/metrics/definitions/deleted-rows.js';
import { RETENTION_HOURS } from './stored-responses.js';

const DELETE_EVERY_MS = 10 * 60 * 1_000;

/** Deletes stored responses that no request can receive any more. */
@Injectable()
export class ExpiredResponses implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly deletions = new RepeatedWork(
    DELETE_EVERY_MS,
    () => this.delete(),
    (error) => {
      this.logger.warn({ reason: String(error) }, 'expired stored responses could not be deleted; retrying in 10 minutes');
    },
  );
  private readonly stopping = new AbortController();

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly metrics: DeletedRowsMetrics,
  ) {}

  onApplicationBootstrap(): void {
    this.deletions.start();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.deletions.stop();
  }

  /** Deletes all expired responses. */
  async delete(): Promise<void> {
    await deleteOldRows(this.pool, oldResponses(RETENTION_HOURS), {
      signal: this.stopping.signal,
      onDeleted: (table, rows) => {
        this.metrics.deleted(table, rows);
      },
    });
  }
}
