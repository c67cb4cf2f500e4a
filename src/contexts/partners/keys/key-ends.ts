import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import {
  type DeactivatedKeyRow,
  deactivatedKeyTable,
  type KeyEndRow,
  keyEndTable,
} from '../../../../projections/api-key/api-key.reader.js';
import { inTransaction } from '../../../platform/database/pool.js';
import { POOL } from '../../../platform/injection-tokens.js';
import { announceDirectoryChange } from '../../../platform/projecting/in-memory/directory-lease.js';
import { RowMacs } from '../../../platform/projecting/row-macs.js';

/** The deactivated keys, which every instance refuses without waiting for the projector. */
@Injectable()
export class DeactivatedKeys {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly macs: RowMacs,
  ) {}

  /** Returns whether the key was added. A row that somebody else wrote does not count, so that the key can still be deactivated. */
  async has(keyId: string): Promise<boolean> {
    const { rows } = await this.pool.query<DeactivatedKeyRow>('select * from ops.deactivated_key where key_id = $1', [keyId]);
    return rows.some((row) => this.macs.holds(deactivatedKeyTable, row));
  }

  /**
   * Adds a key whose deactivation is recorded in the log, and makes the instances clear their caches. The row of an earlier deactivation
   * stays, and one whose MAC does not hold is replaced.
   */
  async add(keyId: string, at: string): Promise<void> {
    const rows = (await this.has(keyId)) ? [] : this.macs.authenticate(deactivatedKeyTable, [{ key_id: keyId, deactivated_at: at }]);
    await inTransaction(this.pool, async (client) => {
      for (const { key_id, deactivated_at, mac } of rows)
        await client.query(
          `insert into ops.deactivated_key (key_id, deactivated_at, mac) values ($1, $2, $3)
           on conflict (key_id) do update set deactivated_at = excluded.deactivated_at, mac = excluded.mac`,
          [key_id, deactivated_at, mac],
        );
      await announceDirectoryChange(client);
    });
  }
}

/** When keys end, which every instance reads with a key without waiting for the projector. */
@Injectable()
export class KeyEnds {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly macs: RowMacs,
  ) {}

  /**
   * Adds an end that is recorded in the log, and makes the instances clear their caches. The earliest end of a key stays, and a row whose MAC
   * does not hold is replaced. A partner's rotations run one after another, so no other end is added meanwhile.
   * @param at when it was recorded: a key that ends then has ended on every instance, whatever the instance's clock says
   */
  async add(keyId: string, expiresAt: string, at: string): Promise<void> {
    await inTransaction(this.pool, async (client) => {
      const { rows: known } = await client.query<KeyEndRow>('select * from ops.api_key_end where key_id = $1', [keyId]);
      const isKnown = known.some((row) => this.macs.holds(keyEndTable, row) && Date.parse(row.expires_at) <= Date.parse(expiresAt));
      const added = { key_id: keyId, expires_at: expiresAt, set_at: at };
      for (const { key_id, expires_at, set_at, mac } of isKnown ? [] : this.macs.authenticate(keyEndTable, [added]))
        await client.query(
          `insert into ops.api_key_end (key_id, expires_at, set_at, mac) values ($1, $2, $3, $4)
           on conflict (key_id) do update set expires_at = excluded.expires_at, set_at = excluded.set_at, mac = excluded.mac`,
          [key_id, expires_at, set_at, mac],
        );
      await announceDirectoryChange(client);
    });
  }
}
