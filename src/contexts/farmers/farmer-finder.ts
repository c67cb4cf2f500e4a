import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { StatementQueue } from '../../platform/database/statement-queue.js';
import { POOL } from '../../platform/injection-tokens.js';
import { refuseIfSetAside, refuseSetAside, setAsideIn } from '../../platform/unusable-events/unusable-table.js';

interface FoundFarmer {
  readonly mode: 'live' | 'sandbox';
  readonly set_aside: string | null;
}

const MAX_FARMERS_PER_STATEMENT = 64;

/** Finds out whether a farmer exists, and in which mode. Concurrent calls share one SQL statement. */
@Injectable()
export class FarmerFinder {
  private readonly statements = new StatementQueue((rupaIds: readonly string[]) => this.read(rupaIds), {
    maxKeys: MAX_FARMERS_PER_STATEMENT,
  });

  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Returns undefined if no farmer has the id, or if the farmer was erased. @throws EventSetAside */
  async find(rupaId: string): Promise<FoundFarmer | undefined> {
    const found = await this.statements.load(rupaId);
    if (found) refuseIfSetAside(found.set_aside);
    else await refuseSetAside(this.pool, [`farmer-${rupaId}`]);
    return found;
  }

  private async read(rupaIds: readonly string[]): Promise<(FoundFarmer | undefined)[]> {
    const { rows } = await this.pool.query<FoundFarmer & { readonly rupa_id: string }>({
      name: 'find-farmers',
      text: `select f.rupa_id, f.mode, ${setAsideIn("'farmer-' || f.rupa_id")} as set_aside
        from read.farmer_profile f where f.rupa_id = any($1) and not f.erased`,
      values: [rupaIds],
    });
    const found = new Map(rows.map((row) => [row.rupa_id, row]));
    return rupaIds.map((rupaId) => found.get(rupaId));
  }
}
