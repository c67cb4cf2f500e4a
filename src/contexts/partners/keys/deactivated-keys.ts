import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { inTransaction } from '../../../platform/database/pool.js';
import { POOL } from '../../../platform/injection-tokens.js';
import { announceDirectoryChange } from '../../../platform/projecting/in-memory/directory-lease.js';

/** The deactivated keys, which every instance refuses without waiting for the projector. */
@Injectable()
export class DeactivatedKeys {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async has(keyId: string): Promise<boolean> {
    const { rowCount } = await this.pool.query('select from ops.deactivated_key where key_id = $1', [keyId]);
    return rowCount === 1;
  }

  /** Adds a key whose deactivation is recorded in the log, and makes the instances clear their caches. */
  async add(keyId: string): Promise<void> {
    await inTransaction(this.pool, async (client) => {
      await client.query('insert into ops.deactivated_key (key_id) values ($1) on conflict do nothing', [keyId]);
      await announceDirectoryChange(client);
    });
  }
}
