import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type Pool } from 'pg';
import { type Logger } from 'pino';
import { deleteOldRows } from '../../platform/database/delete-old-rows.js';
import { LOGGER, POOL } from '../../platform/injection-tokens.js';
import { DeletedRowsMetrics } from '../../platform/metrics/definitions/deleted-rows.js';
import { RETENTION_HOURS } from './stored-responses.js';

const DELETE_EVERY_MS = 10 * 60 * 1_000;

/** Deletes stored responses that no request can receive any more. */
@Injectable()
export class ExpiredResponses implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private deleting: Promise<void> | undefined;
  private readonly stopping = new AbortController();

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly metrics: DeletedRowsMetrics,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.deleting ??= this.delete()
        .catch((error: unknown) => {
          this.logger.warn({ reason: String(error) }, 'expired stored responses could not be deleted; retrying in 10 minutes');
        })
        .finally(() => {
          this.deleting = undefined;
        });
    }, DELETE_EVERY_MS);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await this.deleting;
  }

  /** Deletes all expired responses. */
  async delete(): Promise<void> {
    const expired = { table: 'ops.stored_response', column: 'begun_at', seconds: RETENTION_HOURS * 3_600 };
    await deleteOldRows(this.pool, expired, {
      signal: this.stopping.signal,
      onDeleted: (table, rows) => {
        this.metrics.deleted(table, rows);
      },
    });
  }
}
