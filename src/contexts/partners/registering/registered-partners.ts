import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { partnerById, type RegisteredPartner } from '../../../../projections/partner/partner.reader.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { RowMacs } from '../../../platform/projecting/row-macs.js';
import { refuseSetAside } from '../../../platform/unusable-events/unusable-table.js';
import { PartnerRejection } from '../domain/partner.js';

/** Lets other contexts find a registered partner. */
@Injectable()
export class RegisteredPartners {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly macs: RowMacs,
  ) {}

  /** Returns the partner. Raises Rejection `partner_unknown` if no partner has the id. */
  async get(partnerId: string): Promise<RegisteredPartner> {
    await refuseSetAside(this.pool, [`partner-${partnerId}`]);
    const partner = await partnerById(this.pool, this.macs, partnerId);
    if (!partner) throw new PartnerRejection('partner_unknown');
    return partner;
  }

  /** Raises Rejection `partner_unknown` if no partner has the id. */
  async assertExists(partnerId: string): Promise<void> {
    await this.get(partnerId);
  }
}
