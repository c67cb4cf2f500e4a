import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { ReadModels } from '../../platform/projecting/read-models.js';
import { UnshownChanges } from '../../platform/projecting/unshown-changes.js';
import { FREE_CALLS_POOL } from '../../platform/injection-tokens.js';
import { walletStreamOf } from '../wallet/domain/events.js';
import { compliance, type Compliance, ComplianceOptions } from './compliance.js';

/** Returns a partner's compliance. It counts every lookup and every report that the partner has received a response to. */
export class GetCompliance extends Query<Compliance> {
  constructor(readonly partnerId: string) {
    super();
  }
}

@QueryHandler(GetCompliance)
export class GetComplianceHandler implements IQueryHandler<GetCompliance> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly options: ComplianceOptions,
    private readonly readModels: ReadModels,
    private readonly unshown: UnshownChanges,
  ) {}

  async execute({ partnerId }: GetCompliance): Promise<Compliance> {
    await Promise.all([this.readModels.waitForStream(walletStreamOf(partnerId)), this.unshown.waitFor(`partner ${partnerId}`)]);
    const { rows } = await this.pool.query<{ lookups: number; contributions: number }>(
      'select lookups, contributions from read.partner_usage where partner_id = $1',
      [partnerId],
    );
    return compliance(rows[0]?.lookups ?? 0, rows[0]?.contributions ?? 0, this.options.complianceRatio);
  }
}
