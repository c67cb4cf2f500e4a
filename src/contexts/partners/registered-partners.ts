import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { type PartnerRow } from '../../../projections/partner/partner.projection.js';
import { FREE_CALLS_POOL } from '../../platform/injection-tokens.js';
import { refuseSetAside } from '../../platform/unusable-events/unusable-table.js';
import { PartnerRejection } from './domain/rejections.js';

export type RegisteredPartner = Pick<PartnerRow, 'partner_id' | 'company_name' | 'account_type' | 'mode' | 'registered_at'>;

/** Lets other contexts find a registered partner. */
@Injectable()
export class RegisteredPartners {
  constructor(@Inject(FREE_CALLS_POOL) private readonly pool: Pool) {}

  /** Returns the partner. Raises Rejection `partner_unknown` if no partner has the id. */
  async get(partnerId: string): Promise<RegisteredPartner> {
    await refuseSetAside(this.pool, [`partner-${partnerId}`]);
    const { rows } = await this.pool.query<RegisteredPartner>(
      'select partner_id, company_name, account_type, mode, registered_at from read.partner where partner_id = $1',
      [partnerId],
    );
    const [partner] = rows;
    if (!partner) throw new PartnerRejection('partner_unknown');
    return partner;
  }

  /** Raises Rejection `partner_unknown` if no partner has the id. */
  async assertExists(partnerId: string): Promise<void> {
    await this.get(partnerId);
  }
}
