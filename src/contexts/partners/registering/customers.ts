import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { type Customer, customerById } from '../../../../projections/customer/customer.reader.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { RowMacs } from '../../../platform/projecting/row-macs.js';
import { refuseSetAside } from '../../../platform/unusable-events/unusable-table.js';
import { PartnerRejection } from '../domain/partner.js';

/** Finds a partner's customer number and its details as a legal person. */
@Injectable()
export class Customers {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly macs: RowMacs,
  ) {}

  /** Returns the customer. Raises Rejection `partner_unknown` if no partner has the id. @throws RowForged */
  async get(partnerId: string): Promise<Customer> {
    await refuseSetAside(this.pool, [`partner-${partnerId}`]);
    const customer = await customerById(this.pool, this.macs, partnerId);
    if (!customer) throw new PartnerRejection('partner_unknown');
    return customer;
  }
}
