import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import DataLoader from 'dataloader';
import { type Pool } from 'pg';
import { StatementTurns } from '../../platform/database/statement-turns.js';
import { POOL } from '../../platform/injection-tokens.js';

interface Found {
  readonly mode: 'live' | 'sandbox';
}

/** Whether there is such a farmer; undefined also for an erased one. */
export class FindFarmer extends Query<Found | undefined> {
  constructor(readonly rupaId: string) {
    super();
  }
}

const FARMERS_A_STATEMENT = 64;

/** Those that are asked for at once share a statement. */
@QueryHandler(FindFarmer)
export class FindFarmerHandler implements IQueryHandler<FindFarmer> {
  private readonly turns = new StatementTurns();
  private readonly loader = new DataLoader((rupaIds: readonly string[]) => this.read(rupaIds), {
    cache: false,
    maxBatchSize: FARMERS_A_STATEMENT,
    batchScheduleFn: this.turns.schedule,
  });

  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async execute({ rupaId }: FindFarmer): Promise<Found | undefined> {
    return await this.loader.load(rupaId);
  }

  private async read(rupaIds: readonly string[]): Promise<(Found | undefined)[]> {
    const { rows } = await this.turns.run(() =>
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
