import { Inject, Injectable } from '@nestjs/common';
import DataLoader from 'dataloader';
import { type Pool } from 'pg';
import { StatementQueue } from '../../platform/database/statement-queue.js';
import { POOL } from '../../platform/injection-tokens.js';

interface Found {
  readonly mode: 'live' | 'sandbox';
}

const FARMERS_A_STATEMENT = 64;

/** Tells whether there is such a farmer. Concurrent questions share a statement. */
@Injectable()
export class FarmerFinder {
  private readonly statements = new StatementQueue();
  private readonly loader = new DataLoader((rupaIds: readonly string[]) => this.read(rupaIds), {
    cache: false,
    maxBatchSize: FARMERS_A_STATEMENT,
    batchScheduleFn: this.statements.schedule,
  });

  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** undefined where nobody has that id, or the farmer was erased. */
  async find(rupaId: string): Promise<Found | undefined> {
    return await this.loader.load(rupaId);
  }

  private async read(rupaIds: readonly string[]): Promise<(Found | undefined)[]> {
    const { rows } = await this.statements.run(() =>
      this.pool.query<Found & { readonly rupa_id: string }>({
        name: 'find-farmers',
        text: 'select rupa_id, mode from read.farmer_profile where rupa_id = any($1) and not erased',
        values: [rupaIds],
      }),
    );
    const found = new Map(rows.map((row) => [row.rupa_id, row]));
    return rupaIds.map((rupaId) => found.get(rupaId));
  }
}
