import pg, { type Pool } from 'pg';

/**
 * One at a time under each name, on all instances. Whoever waits holds no connection of the pool, which those before it may need:
 * an instance sends one of its own into the database's queue.
 */
export class Turns {
  private readonly last = new Map<string, Promise<unknown>>();

  constructor(private readonly pool: Pool) {}

  async take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(name) ?? Promise.resolve();
    const turn = before.catch(() => undefined).then(() => this.locked(name, work));
    this.last.set(name, turn);
    try {
      return await turn;
    } finally {
      if (this.last.get(name) === turn) this.last.delete(name);
    }
  }

  private async locked<T>(name: string, work: () => Promise<T>): Promise<T> {
    const client = new pg.Client(this.pool.options);
    // One that breaks while the work goes on has nobody else to tell, and would end the process.
    client.on('error', () => undefined);
    await client.connect();
    try {
      // It ends with the connection, however that ends.
      await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [name]);
      return await work();
    } finally {
      await client.end();
    }
  }
}
