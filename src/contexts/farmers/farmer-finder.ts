import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { StatementQueue } from '../../platform/database/statement-queue.js';
import { POOL } from '../../platform/injection-tokens.js';

interface FoundFarmer {
  readonly mode: 'live' | 'sandbox';
}

const MAX_FARMERS_PER_STATEMENT = 64;

/** Finds out whether a farmer exists, and in which mode. Concurrent calls share one SQL statement. */
@Injectable()
export class FarmerFinder {
  private readonly statements = new StatementQueue((rupaIds: readonly string[]) => this.read(rupaIds), {
    maxKeys: MAX_FARMERS_PER_STATEMENT,
  });

  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Returns undefined if no farmer has the id, or if the farmer was erased. */
  async find(rupaId: string): Promise<FoundFarmer | undefined> {
    return await this.statements.load(rupaId);
  }

  private async read(rupaIds: readonly string[]): Promise<(FoundFarmer | undefined)[]> {
    const { rows } = await this.pool.query<FoundFarmer & { readonly rupa_id: string }>({
      name: 'find-farmers',
      text: 'select rupa_id, mode from read.farmer_profile where rupa_id = any($1) and not erased',
      values: [rupaIds],
    });
    const found = new Map(rows.map((row) => [row.rupa_id, row]));
    return rupaIds.map((rupaId) => found.get(rupaId));
  }
}
