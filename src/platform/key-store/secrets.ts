import { type Pool } from 'pg';
import { type MasterKeys } from './master-keys.js';

/** Secrets that are no farmer's, by name, wrapped by a master key in the key store's own schema. */
export class Secrets {
  constructor(
    private readonly pool: Pool,
    private readonly masterKeys: MasterKeys,
  ) {}

  async get(name: string): Promise<Buffer | undefined> {
    return (await this.getMany([name])).get(name);
  }

  /** Those that there are, by name. */
  async getMany(names: readonly string[]): Promise<Map<string, Buffer>> {
    const { rows } = await this.pool.query<{ name: string; master_key_id: string; wrapped: string }>({
      name: 'secrets',
      text: 'select name, master_key_id, wrapped from key_store.secret where name = any($1)',
      values: [names],
    });
    return new Map(
      rows.map(({ name, master_key_id, wrapped }) => [name, this.masterKeys.unwrap(master_key_id, wrapped, secretBinding(name))]),
    );
  }

  /** Keeps the secret unless there is one of that name already. */
  async add(name: string, secret: Buffer): Promise<void> {
    const { master_key_id, wrapped } = this.masterKeys.wrap(secret, secretBinding(name));
    await this.pool.query('insert into key_store.secret (name, master_key_id, wrapped) values ($1, $2, $3) on conflict (name) do nothing', [
      name,
      master_key_id,
      wrapped,
    ]);
  }

  async removeByPrefix(prefix: string): Promise<void> {
    await this.pool.query('delete from key_store.secret where starts_with(name, $1)', [prefix]);
  }
}

/** What a wrapped secret is bound to. */
export function secretBinding(name: string): string {
  return `secret\n${name}`;
}
