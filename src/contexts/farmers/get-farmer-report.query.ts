import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { reportedLookups } from '../../../projections/wallet-entry/charged-lookups.reader.js';
import { ApiError } from '../../http/api-error.js';
import { type Unread } from '../../http/json-text.js';
import { readSnapshot } from '../../platform/database/held-rows.js';
import { Clock } from '../../kernel/clock.js';
import { ReadModels } from '../../platform/projecting/read-models.js';
import { FREE_CALLS_POOL } from '../../platform/injection-tokens.js';
import { refuseSetAside } from '../../platform/unusable-events/unusable-table.js';
import { FarmerRejection } from './domain/rejections.js';
import { type FarmerReport } from './farmer-report-responses.dto.js';

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

const CATCH_UP_TIMEOUT_MS = 10_000;

const FARMER = `select f.rupa_id, f.mode, f.registered_at, e.erased_at
  from read.farmer_profile f left join read.erased_farmer e on e.rupa_id = f.rupa_id where f.rupa_id = $1`;

const PARTNER = 'p.partner_id, p.company_name, p.account_type';

const CONSENTS = `select ${PARTNER}, c.source, c.granted_at, c.last_accessed_at, c.access_count
  from read.consent_roster c join read.partner p on p.partner_id = c.partner_id
  where c.rupa_id = $1 order by c.granted_at desc, p.partner_id`;

const REPORTS = `select ${PARTNER}, r.contribution_id, r.event, r.occurred_at
  from read.contribution r join read.partner p on p.partner_id = r.partner_id
  where r.rupa_id = $1 order by r.occurred_at desc, r.contribution_id desc`;

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
    if (!(await this.readModels.waitForAll(CATCH_UP_TIMEOUT_MS)))
      throw new ApiError('unavailable', { message: 'The read models are behind the log. Please retry with backoff.' });
    await refuseSetAside(this.pool, [`farmer-${rupaId}`]);
    return await readSnapshot(this.pool, async (snapshot) => {
      const [farmer] = await snapshot.rows<Pick<FarmerReport, 'rupa_id' | 'mode' | 'registered_at' | 'erased_at'>>(FARMER, [rupaId]);
      if (!farmer) throw new FarmerRejection('farmer_unknown');
      return {
        ...farmer,
        made_at,
        consents: await snapshot.list<FarmerReport['consents'][number]>(CONSENTS, [rupaId]),
        lookups: await reportedLookups(snapshot, rupaId),
        reports: await snapshot.list<FarmerReport['reports'][number]>(REPORTS, [rupaId]),
      };
    });
  }
}
