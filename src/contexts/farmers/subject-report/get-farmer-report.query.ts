import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { contributionProjection } from '../../../../projections/contribution/contribution.projection.js';
import { walletEntryProjection } from '../../../../projections/wallet-entry/wallet-entry.projection.js';
import { consentRosterProjection } from '../../../../projections/consent-roster/consent-roster.projection.js';
import { erasedFarmerProjection } from '../../../../projections/erased-farmer/erased-farmer.projection.js';
import { farmerProfileProjection } from '../../../../projections/farmer-profile/farmer-profile.projection.js';
import { consentsTo } from '../../../../projections/consent-roster/consent-roster.reader.js';
import { reportsOn } from '../../../../projections/contribution/contribution.reader.js';
import { registrationOf } from '../../../../projections/farmer-profile/farmer-profile.reader.js';
import { reportedLookups } from '../../../../projections/wallet-entry/charged-lookups.reader.js';
import { type Unread } from '../../../http/validating/json-text.js';
import { readSnapshot } from '../../../platform/database/held-rows.js';
import { Clock } from '../../../kernel/clock.js';
import { DOCUMENT_WAIT_MS, ReadModels } from '../../../platform/projecting/read-models.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { refuseSetAside } from '../../../platform/unusable-events/unusable-table.js';
import { FarmerRejection } from '../domain/farmer.js';
import { type FarmerReport } from './farmer-report-responses.dto.js';
import { farmerStreamOf } from '../domain/events.js';

/** Its lists are to be read once, in their order. */
export type UnreadFarmerReport = Unread<FarmerReport> & AsyncDisposable;

/**
 * Returns how a farmer's data was used, for a data subject's access request (Nigeria Data Protection Act). It also reports on an erased
 * farmer. The report is to be disposed of when it was read. Raises Rejection `farmer_unknown` if the id was never registered.
 */
export class GetFarmerReport extends Query<UnreadFarmerReport> {
  constructor(readonly rupaId: string) {
    super();
  }
}

const READ_MODELS = [
  farmerProfileProjection,
  erasedFarmerProjection,
  consentRosterProjection,
  walletEntryProjection,
  contributionProjection,
];

@QueryHandler(GetFarmerReport)
export class GetFarmerReportHandler implements IQueryHandler<GetFarmerReport> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly readModels: ReadModels,
    private readonly clock: Clock,
  ) {}

  async execute({ rupaId }: GetFarmerReport): Promise<UnreadFarmerReport> {
    const made_at = this.clock.iso();
    // An incomplete report would mislead the farmer, so it is refused until the read models have caught up.
    await this.readModels.waitForLog(READ_MODELS, DOCUMENT_WAIT_MS);
    await refuseSetAside(this.pool, [farmerStreamOf(rupaId)]);
    return await readSnapshot(this.pool, async (snapshot) => {
      const farmer = await registrationOf(snapshot, rupaId);
      if (!farmer) throw new FarmerRejection('farmer_unknown');
      return {
        ...farmer,
        made_at,
        consents: await consentsTo(snapshot, rupaId),
        lookups: await reportedLookups(snapshot, rupaId),
        reports: await reportsOn(snapshot, rupaId),
      };
    });
  }
}
