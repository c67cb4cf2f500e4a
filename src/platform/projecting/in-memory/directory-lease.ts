import { randomUUID } from 'node:crypto';
import { type ClientBase, type Pool } from 'pg';
import { LRUCache } from 'lru-cache';

/** Milliseconds for which an instance may use cached partners, API keys and prices after it asked PostgreSQL whether they have changed. */
export const LEASE_MS = 1_500;

/** A row of ops.directory: the only one, with the number of changes of partners, API keys and prices. */
interface DirectoryRow {
  readonly id: boolean;
  readonly version: number;
}

/** A row of ops.instance: the version of the directory that an instance has confirmed. */
export interface InstanceRow {
  readonly instance_id: string;
  readonly version: number;
}

/**
 * The permission of this instance to use cached partners, API keys and prices. It ends unless the instance keeps asking for the version of
 * the directory. A change of the directory waits until every instance has confirmed the new version in its row of ops.instance, or for as
 * long as a lease lasts (directory-changes.ts).
 */
export class DirectoryLease {
  private readonly instanceId = randomUUID();
  private version: number | undefined;
  private endsAt = performance.now();

  get valid(): boolean {
    return performance.now() < this.endsAt;
  }

  /** Milliseconds since the lease ran out; 0 while it is valid. */
  get lapsedMs(): number {
    return Math.max(0, performance.now() - this.endsAt);
  }

  /**
   * Asks for the version and renews the lease. The lease counts from the question, because a change that was committed after it may be
   * missing from the answer.
   * @param confirms whether this instance has caches, so that changes wait for its confirmation
   * @param onChanged clears the caches
   */
  async renew(client: ClientBase, confirms: boolean, onChanged: () => void): Promise<void> {
    const askedAt = performance.now();
    const { rows } = await client.query<Pick<DirectoryRow, 'version'> & { readonly confirmed: InstanceRow['version'] | null }>(
      `select coalesce((select version from ops.directory), 0) as version,
         (select version from ops.instance where instance_id = $1) as confirmed`,
      [this.instanceId],
    );
    const { version = 0, confirmed = null } = rows[0] ?? {};
    if (version !== this.version) {
      this.version = version;
      onChanged();
    }
    // A change does not wait for an instance without a row, and it may remove a row with an older version at any moment. So the lease is
    // renewed only by a question that finds the current version confirmed.
    if (!confirms || confirmed === version) this.endsAt = Math.max(this.endsAt, askedAt + LEASE_MS);
    if (confirms && confirmed !== version) await client.query(CONFIRM, [this.instanceId, version]);
  }

  /** Ends the lease at once, because changes may have been missed. */
  end(): void {
    this.endsAt = Math.min(this.endsAt, performance.now());
    this.version = undefined;
  }

  /** Ends the lease and removes the row of this instance, so that changes no longer wait for it. */
  async release(pool: Pool): Promise<void> {
    this.end();
    await pool.query('delete from ops.instance where instance_id = $1', [this.instanceId]);
  }
}

const CONFIRM = `insert into ops.instance (instance_id, version) values ($1, $2)
  on conflict (instance_id) do update set version = excluded.version`;

/** Notification channel that makes instances clear their caches of partners, API keys and prices. */
export const DIRECTORY_CHANNEL = 'rupa_directory';

/**
 * Raises the version of the directory (partners, API keys and prices) and notifies every instance, both when the transaction commits.
 * It belongs at the end of the transaction, because it locks a row that all such transactions share.
 */
export async function announceDirectoryChange(client: ClientBase | Pool): Promise<void> {
  await client.query(
    `with changed as (
       insert into ops.directory as d (id, version) values (true, 1) on conflict (id) do update set version = d.version + 1 returning version)
     select pg_notify($1, version::text) from changed`,
    [DIRECTORY_CHANNEL],
  );
}

/** Returns the version of the last committed change. */
export async function directoryVersion(pool: Pool): Promise<number> {
  const { rows } = await pool.query<Pick<DirectoryRow, 'version'>>('select coalesce((select version from ops.directory), 0) as version');
  return rows[0]?.version ?? 0;
}

/** Tells of changes of the directory, and whether a lease is valid. */
interface DirectoryListener {
  readonly live: boolean;
  onDirectoryChanged(listener: () => void): void;
}

/**
 * Caches partners, API keys or prices until the projector notifies of a change in any of them. While notifications could be missed,
 * every value is read again.
 */
export class DirectoryCache<V extends object> {
  private readonly cached: LRUCache<string, V>;
  private generation = 0;

  constructor(
    private readonly listener: DirectoryListener,
    max: number,
  ) {
    this.cached = new LRUCache({ max });
    listener.onDirectoryChanged(() => {
      this.generation += 1;
      this.cached.clear();
    });
  }

  /** Returns the cached value or reads it. A value for which `isCacheable` returns false is not cached. */
  async get(key: string, read: () => Promise<V>, isCacheable: (value: V) => boolean = () => true): Promise<V> {
    const cached = this.listener.live ? this.cached.get(key) : undefined;
    if (cached) return cached;
    const { generation } = this;
    const value = await read();
    // If a change was notified during the read, the value may be the old one.
    if (this.listener.live && generation === this.generation && isCacheable(value)) this.cached.set(key, value);
    return value;
  }
}
