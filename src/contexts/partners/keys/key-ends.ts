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

/** When keys end, which every instance reads with a key without waiting for the projector. */
@Injectable()
export class KeyEnds {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /**
   * Adds an end that is recorded in the log, and makes the instances clear their caches. The earliest end of a key stays.
   * @param at when it was recorded: a key that ends then has ended on every instance, whatever the instance's clock says
   */
  async add(keyId: string, expiresAt: string, at: string): Promise<void> {
    await inTransaction(this.pool, async (client) => {
      await client.query(
        `insert into ops.api_key_end as e (key_id, expires_at, set_at) values ($1, $2, $3)
         on conflict (key_id) do update set expires_at = excluded.expires_at, set_at = excluded.set_at where excluded.expires_at < e.expires_at`,
        [keyId, expiresAt, at],
      );
      await announceDirectoryChange(client);
    });
  }
}
