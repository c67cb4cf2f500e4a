import { type PoolClient, type Pool } from 'pg';
import { inTransaction } from '../../database/pool.js';
import { type RowChange } from '../derived.js';
import { type DerivedTable } from '../derived-table.js';
import { type Wipe } from '../projection.js';
import { PREFER_KEY_LOOKUPS } from '../read-model-table.js';

const GROUPS_PER_TRANSACTION = 500;

/**
 * A derived table under construction. It is derived once, when its source is built; after that, only the groups are derived again whose
 * source rows changed, so that little is left to do while the projector waits for the swap.
 */
export class ShadowDerivedTable {
  private isDerived = false;
  private readonly changed = new Set<string>();

  constructor(
    private readonly pool: Pool,
    private readonly table: DerivedTable,
  ) {}

  note(change: RowChange): void {
    if (this.isDerived) for (const key of this.table.groupsOf(change)) this.changed.add(key);
  }

  noteWipe(wipe: Wipe): void {
    if (this.isDerived) this.changed.add(this.table.groupOfWipe(wipe));
  }

  /** Writes the rows that follow from the source, which has been written. */
  async catchUp(): Promise<void> {
    if (this.isDerived) await this.deriveChanged();
    else await this.deriveAll();
    this.isDerived = true;
  }

  private async deriveAll(): Promise<void> {
    for (let after: string | undefined; ;) {
      const keys = await this.transact(async (client) => {
        const page = await this.table.groupsAfter(client, after);
        await this.table.rederive(client, page, 'added');
        return page;
      });
      after = keys.at(-1);
      if (after === undefined) return;
    }
  }

  private async deriveChanged(): Promise<void> {
    const keys = [...this.changed];
    this.changed.clear();
    for (let at = 0; at < keys.length; at += GROUPS_PER_TRANSACTION)
      await this.transact((client) => this.table.rederive(client, keys.slice(at, at + GROUPS_PER_TRANSACTION)));
  }

  private async transact<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    return await inTransaction(this.pool, work, `begin; ${PREFER_KEY_LOOKUPS}`);
  }
}
