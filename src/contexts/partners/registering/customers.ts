import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { type Customer, customerById } from '../../../../projections/customer/customer.reader.js';
import { type Snapshot } from '../../../platform/database/held-rows.js';
import { Streams } from '../../../platform/event-sourcing/writing/stream-writer.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { RowMacs } from '../../../platform/projecting/row-macs.js';
import { refuseSetAside } from '../../../platform/unusable-events/unusable-table.js';
import { type PartnerDetails } from '../domain/events.js';
import { PARTNER_STREAMS, PartnerRejection } from '../domain/partner.js';

/** Finds a partner's customer number and its details as a legal person. */
@Injectable()
export class Customers {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly macs: RowMacs,
    private readonly streams: Streams,
  ) {}

  /** Returns the customer. Raises Rejection `partner_unknown` if no partner has the id. @throws RowForged */
  async get(partnerId: string): Promise<Customer> {
    await refuseSetAside(this.pool, [`partner-${partnerId}`]);
    return await this.in(this.pool, partnerId);
  }

  /** Returns the customer as a snapshot shows it, like {@link get}. */
  async in(snapshot: Pool | Snapshot, partnerId: string): Promise<Customer> {
    const customer = await customerById(snapshot, this.macs, partnerId);
    if (!customer) throw new PartnerRejection('partner_unknown');
    return customer;
  }

  /** Returns the details as they were before a position in $all, from the log; undefined if the partner was not yet registered. */
  async detailsBefore(partnerId: string, position: bigint): Promise<PartnerDetails | undefined> {
    const state = await this.streams.of(PARTNER_STREAMS).loadBefore(partnerId, position);
    return state.status === 'unregistered' ? undefined : { company_name: state.company_name, legal: state.legal };
  }
}
