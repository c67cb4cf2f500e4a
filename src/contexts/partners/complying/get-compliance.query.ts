import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { partnerUsageProjection } from '../../../../projections/partner-usage/partner-usage.projection.js';
import { usageOf } from '../../../../projections/partner-usage/partner-usage.reader.js';
import { ReadModels } from '../../../platform/projecting/read-models.js';
import { ReadYourWrites } from '../../../platform/projecting/in-memory/read-your-writes.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { walletStreamOf } from '../../wallet/domain/events.js';
import { ceilProduct } from '../../../kernel/exact-decimal.js';

/** The options of compliance, which the application provides. */
export abstract class ComplianceOptions {
  /** Reports that a partner is expected to make for each lookup; above 0. */
  abstract readonly complianceRatio: number;
}

export interface Compliance {
  readonly lookups: number;
  readonly contributions_expected: number;
  readonly contributions_received: number;
  readonly compliance_rate: number;
}

/** Computes a partner's compliance (decisions, "Contributions"). The rate is 1 if no contributions are expected. */
export function compliance(lookups: number, received: number, ratio: number): Compliance {
  const expected = ceilProduct(lookups, ratio);
  return {
    lookups,
    contributions_expected: expected,
    contributions_received: received,
    compliance_rate: expected === 0 ? 1 : received / expected,
  };
}

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
    private readonly writes: ReadYourWrites,
  ) {}

  async execute({ partnerId }: GetCompliance): Promise<Compliance> {
    await Promise.all([
      this.readModels.waitForStream(walletStreamOf(partnerId), [partnerUsageProjection]),
      this.writes.waitFor(`partner ${partnerId}`, [partnerUsageProjection.name]),
    ]);
    const { lookups, contributions } = await usageOf(this.pool, partnerId);
    return compliance(lookups, contributions, this.options.complianceRatio);
  }
}
