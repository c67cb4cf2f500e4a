import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { farmerProfileProjection } from '../../../projections/farmer-profile/farmer-profile.projection.js';
import { findFarmers, type FoundFarmer } from '../../../projections/farmer-profile/farmer-profile.reader.js';
import { StatementQueue } from '../../platform/database/sharing/statement-queue.js';
import { POOL } from '../../platform/injection-tokens.js';
import { RowForged, RowMacs } from '../../platform/projecting/row-macs.js';
import { refuseIfSetAside, refuseSetAside } from '../../platform/unusable-events/unusable-table.js';
import { farmerStreamOf } from './domain/events.js';

const MAX_FARMERS_PER_STATEMENT = 64;

/** Finds out whether a farmer exists, and in which mode. Concurrent calls share one SQL statement. */
@Injectable()
export class FarmerFinder {
  private readonly statements = new StatementQueue((rupaIds: readonly string[]) => this.read(rupaIds), {
    maxKeys: MAX_FARMERS_PER_STATEMENT,
  });

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly macs: RowMacs,
  ) {}

  /** Returns undefined if no farmer has the id, or if the farmer was erased. @throws EventSetAside, RowForged */
  async find(rupaId: string): Promise<FoundFarmer | undefined> {
    const found = await this.statements.load(rupaId);
    refuseIfSetAside(found?.set_aside);
    if (found?.forged) throw new RowForged(farmerProfileProjection.name);
    if (!found) await refuseSetAside(this.pool, [farmerStreamOf(rupaId)]);
    return found;
  }

  private async read(rupaIds: readonly string[]): Promise<(FoundFarmer | undefined)[]> {
    const rows = await findFarmers(this.pool, this.macs, rupaIds);
    const found = new Map(rows.map((row) => [row.rupa_id, row]));
    return rupaIds.map((rupaId) => found.get(rupaId));
  }
}
