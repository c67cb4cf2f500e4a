import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type Pool } from 'pg';
import { type Logger } from 'pino';
import { RepeatedDeletion } from '../../../platform/database/delete-old-rows.js';
import { LOGGER, POOL } from '../../../platform/injection-tokens.js';
import { Secrets } from '../../../platform/key-store/secrets.js';
import { DeletedRowsMetrics } from '../../../platform/metrics/definitions/deleted-rows.js';

/** An index of the table has this prefix (src/stores/migrations.ts). */
const PREFIX = 'rotated-key/';
/** As long as the response to the rotation is stored. */
const OLD = { table: 'key_store.secret', column: 'created_at', seconds: 24 * 3_600, where: `starts_with(name, '${PREFIX}')` };

/**
 * New keys of rotations with an Idempotency-Key, encrypted like the signing secrets of endpoints. A rotation that was interrupted before
 * its response was stored runs again and shows the same key.
 */
@Injectable()
export class RotatedKeys implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly deletions: RepeatedDeletion;

  constructor(
    private readonly secrets: Secrets,
    @Inject(POOL) pool: Pool,
    @Inject(LOGGER) logger: Logger,
    metrics: DeletedRowsMetrics,
  ) {
    const count = metrics.deleted.bind(metrics);
    this.deletions = new RepeatedDeletion(pool, OLD, count, (error) => {
      logger.warn({ reason: String(error) }, 'the copies of rotated keys could not be deleted; retrying in 10 minutes');
    });
  }

  onApplicationBootstrap(): void {
    this.deletions.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.deletions.stop();
  }

  /** Stores a key unless one with that id is stored, and returns the stored one. */
  async keep(keyId: string, key: string): Promise<string> {
    await this.secrets.add(PREFIX + keyId, Buffer.from(key));
    return (await this.find(keyId)) ?? key;
  }

  async find(keyId: string): Promise<string | undefined> {
    return (await this.secrets.get(PREFIX + keyId))?.toString('utf8');
  }

  /** Deletes the keys that were stored more than a day ago. */
  async deleteOld(): Promise<void> {
    await this.deletions.run();
  }
}
