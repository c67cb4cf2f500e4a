import { type Pool } from 'pg';
import { type MasterKeys } from './master-keys.js';

/** Secrets that are no farmer's, by name, wrapped by a master key in the key store's own schema. */
export class Secrets {
  constructor(
    private readonly pool: Pool,
    private readonly masterKeys: MasterKeys,
  ) {}

  async get(name: string): Promise<Buffer | undefined> {
    const { rows } = await this.pool.query<{ master_key_id: string; wrapped: string }>(
      'select master_key_id, wrapped from key_store.secret where name = $1',
      [name],
    );
    const [row] = rows;
    return row && this.masterKeys.unwrap(row.master_key_id, row.wrapped, binding(name));
  }

  /** Keeps the secret unless there is one of that name already. */
  async add(name: string, secret: Buffer): Promise<void> {
    const { master_key_id, wrapped } = this.masterKeys.wrap(secret, binding(name));
    await this.pool.query('insert into key_store.secret (name, master_key_id, wrapped) values ($1, $2, $3) on conflict (name) do nothing', [
      name,
      master_key_id,
      wrapped,
    ]);
  }
}

function binding(name: string): string {
  return `secret\n${name}`;
}
