import { type Pool, type PoolClient } from 'pg';
import { READ_WHOLE_TABLES } from './session-settings.js';

/** Rows of a list that are read at a time. */
const PAGE_ROWS = 500;

export interface Snapshot {
  /** Returns all rows of a query whose result is small. */
  rows<R extends object>(text: string, values: readonly unknown[]): Promise<R[]>;
  /** Returns the rows of a query, to be read once, one after another. They may be read after the snapshot has ended. */
  list<R extends object>(text: string, values: readonly unknown[]): Promise<AsyncIterable<R>>;
}

/**
 * Returns what `read` reads in one snapshot, with lists whose rows are not yet in memory. PostgreSQL keeps these rows without a transaction,
 * so a slow reader delays neither vacuum nor the swap of a rebuilt table. Until the result is disposed of, it holds a connection of the pool,
 * unless all lists are short.
 */
export async function readSnapshot<T extends object>(pool: Pool, read: (snapshot: Snapshot) => Promise<T>): Promise<T & AsyncDisposable> {
  const held = new HeldRows(await pool.connect());
  try {
    await held.begin();
    const result = await read(held);
    await held.commit();
    return { ...result, [Symbol.asyncDispose]: () => held.close() };
  } catch (error) {
    await held.close();
    throw error;
  }
}

class HeldRows implements Snapshot {
  private client: PoolClient | undefined;
  private lists = 0;
  /** Lists with rows that are still in PostgreSQL. */
  private unread = 0;
  private fetching = false;

  constructor(client: PoolClient) {
    this.client = client;
  }

  async begin(): Promise<void> {
    await this.connected.query(`begin isolation level repeatable read, read only; ${READ_WHOLE_TABLES}`);
  }

  async rows<R extends object>(text: string, values: readonly unknown[]): Promise<R[]> {
    return (await this.connected.query<R>(text, [...values])).rows;
  }

  async list<R extends object>(text: string, values: readonly unknown[]): Promise<AsyncIterable<R>> {
    const name = `list_${(this.lists += 1)}`;
    await this.connected.query(`declare ${name} no scroll cursor with hold for ${text}`, [...values]);
    this.unread += 1;
    return this.from(name, await this.fetch<R>(name));
  }

  /** Ends the transaction. PostgreSQL then reads all remaining rows into memory or a temporary file of its own. */
  async commit(): Promise<void> {
    if (this.unread > 0) await this.connected.query('commit');
    else await this.close();
  }

  /** Frees the connection. A connection that is still fetching, or that fails, is replaced. */
  async close(): Promise<void> {
    const { client, fetching } = this;
    this.client = undefined;
    if (!client) return;
    if (fetching) {
      client.release(true);
      return;
    }
    try {
      await client.query('rollback; close all');
      client.release();
    } catch {
      client.release(true);
    }
  }

  private async *from<R extends object>(name: string, first: readonly R[]): AsyncGenerator<R> {
    for (let page = first; ; page = await this.fetch<R>(name)) {
      yield* page;
      if (page.length < PAGE_ROWS) return;
    }
  }

  private async fetch<R extends object>(name: string): Promise<readonly R[]> {
    this.fetching = true;
    const { rows } = await this.connected.query<R>(`fetch ${PAGE_ROWS} from ${name}`);
    this.fetching = false;
    if (rows.length < PAGE_ROWS) this.unread -= 1;
    return rows;
  }

  private get connected(): PoolClient {
    if (!this.client) throw new Error('The rows cannot be read, because their connection is closed.');
    return this.client;
  }
}
