import { type Pool } from 'pg';
import { type MasterKeys } from './master-keys.js';

/** A row of key_store.secret: an encrypted secret that belongs to no farmer. */
export interface SecretRow {
  readonly name: string;
  readonly master_key_id: string;
  readonly wrapped: string;
  readonly created_at: string;
}

/** Secrets that belong to no farmer, by name, wrapped by a master key and stored in the schema key_store. */
export class Secrets {
  constructor(
    private readonly pool: Pool,
    private readonly masterKeys: MasterKeys,
  ) {}

  async get(name: string): Promise<Buffer | undefined> {
    return (await this.getMany([name])).get(name);
  }

  /** Returns the secrets that exist, by name. */
  async getMany(names: readonly string[]): Promise<Map<string, Buffer>> {
    const { rows } = await this.pool.query<Omit<SecretRow, 'created_at'>>({
      name: 'secrets',
      text: 'select name, master_key_id, wrapped from key_store.secret where name = any($1)',
      values: [names],
    });
    return new Map(
      rows.map(({ name, master_key_id, wrapped }) => [name, this.masterKeys.unwrap(master_key_id, wrapped, secretBinding(name))]),
    );
  }

  /** Stores the secret unless one with that name exists. */
  async add(name: string, secret: Buffer): Promise<void> {
    const { master_key_id, wrapped } = this.masterKeys.wrap(secret, secretBinding(name));
    await this.pool.query('insert into key_store.secret (name, master_key_id, wrapped) values ($1, $2, $3) on conflict (name) do nothing', [
      name,
      master_key_id,
      wrapped,
    ]);
  }

  /** Stores the secret in place of one with that name. */
  async replace(name: string, secret: Buffer): Promise<void> {
    const { master_key_id, wrapped } = this.masterKeys.wrap(secret, secretBinding(name));
    await this.pool.query(
      `insert into key_store.secret (name, master_key_id, wrapped) values ($1, $2, $3)
       on conflict (name) do update set master_key_id = excluded.master_key_id, wrapped = excluded.wrapped`,
      [name, master_key_id, wrapped],
    );
  }

  /** Returns the name of a secret that begins and ends like that; undefined if there is none. */
  async nameOf(prefix: string, suffix: string): Promise<string | undefined> {
    const { rows } = await this.pool.query<Pick<SecretRow, 'name'>>(
      'select name from key_store.secret where starts_with(name, $1) and right(name, length($2)) = $2 limit 1',
      [prefix, suffix],
    );
    return rows[0]?.name;
  }

  async remove(names: readonly string[]): Promise<void> {
    await this.pool.query('delete from key_store.secret where name = any($1)', [names]);
  }

  async removeByPrefix(prefix: string): Promise<void> {
    await this.pool.query('delete from key_store.secret where starts_with(name, $1)', [prefix]);
  }
}

/** Returns the additional authenticated data of a wrapped secret. */
export function secretBinding(name: string): string {
  return `secret\n${name}`;
}
