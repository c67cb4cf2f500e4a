import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { customerProjection } from '../../../../projections/customer/customer.projection.js';
import {
  allPartners,
  partnerFigures,
  type PartnerFigures,
  type PartnerFilter,
  partnersBefore,
  partnersByBalance,
} from '../../../../projections/partner/partner.reader.js';
import { ReadModelBehind } from '../../../platform/projecting/read-models.js';
import { readSnapshot } from '../../../platform/database/held-rows.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { mapped } from '../../../platform/mapped.js';
import { toNaira } from '../../../kernel/money.js';
import { ValidationFailed } from '../../../kernel/validation-failed.js';
import { refuseSetAside } from '../../../platform/unusable-events/unusable-table.js';
import { compliance, ComplianceOptions } from '../complying/get-compliance.query.js';
import { Cursors, type Page } from '../../../http/validating/paging.js';
import { PartnerRejection } from '../domain/partner.js';
import { Customers } from './customers.js';
import { type PartnerView } from './partner-responses.dto.js';
import { RegisteredPartners } from './registered-partners.js';

/** Returns a partner, by whose settings people decide. Raises Rejection `partner_unknown`. @throws RowForged, EventSetAside */
export class GetPartner extends Query<PartnerView> {
  constructor(readonly partnerId: string) {
    super();
  }
}

@QueryHandler(GetPartner)
export class GetPartnerHandler implements IQueryHandler<GetPartner> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly partners: RegisteredPartners,
    private readonly customers: Customers,
    private readonly options: ComplianceOptions,
  ) {}

  async execute({ partnerId }: GetPartner): Promise<PartnerView> {
    await refuseSetAside(this.pool, [`wallet-${partnerId}`]);
    await this.partners.assertExists(partnerId);
    const partner = await partnerFigures(this.pool, partnerId);
    if (!partner) throw new PartnerRejection('partner_unknown');
    const view = partnerView(partner, this.options);
    // The figures join both rows without their MACs, which only these readers check.
    await this.customers.get(partnerId);
    return view;
  }
}

/** All partners in the order of their registration, to be read once. */
export interface AllPartners extends AsyncDisposable {
  readonly partners: AsyncIterable<PartnerView>;
}

/** Returns all partners, to be disposed of when they were read. */
export class ListPartners extends Query<AllPartners> {}

@QueryHandler(ListPartners)
export class ListPartnersHandler implements IQueryHandler<ListPartners> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly options: ComplianceOptions,
  ) {}

  async execute(): Promise<AllPartners> {
    return await readSnapshot(this.pool, async (snapshot) => {
      const rows = await allPartners(snapshot);
      return { partners: mapped(rows, (row) => partnerView(row, this.options)) };
    });
  }
}

export const PARTNER_SORTS = ['newest', 'balance'] as const;

/**
 * Returns a page of the partners: the one registered last first, or the ones with the lowest balances. Balances change between two pages,
 * so the list by balance has only one.
 * @throws ValidationFailed if the cursor is malformed, or comes with the sort `balance`
 */
export class GetPartnersPage extends Query<Page<PartnerView>> {
  constructor(
    readonly filter: PartnerFilter,
    readonly sort: (typeof PARTNER_SORTS)[number],
    readonly limit: number,
    readonly cursor?: string,
  ) {
    super();
  }
}

const CURSORS = new Cursors('partners', 'time', 'text');

@QueryHandler(GetPartnersPage)
export class GetPartnersPageHandler implements IQueryHandler<GetPartnersPage> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly options: ComplianceOptions,
  ) {}

  async execute({ filter, sort, limit, cursor }: GetPartnersPage): Promise<Page<PartnerView>> {
    if (sort === 'balance') {
      if (cursor !== undefined) throw new ValidationFailed({ cursor: ['The cursor field is not available with sort=balance.'] });
      const rows = await partnersByBalance(this.pool, filter, limit);
      return { items: rows.map((row) => partnerView(row, this.options)), next_cursor: null };
    }
    const rows = await partnersBefore(this.pool, filter, CURSORS.position(cursor) ?? [], limit + 1);
    const { items, next_cursor } = CURSORS.page(rows, limit, ({ registered_at, partner_id }) => [registered_at, partner_id]);
    return { items: items.map((row) => partnerView(row, this.options)), next_cursor };
  }
}

/** @throws ReadModelBehind if the partner was registered while the read model of the numbers lagged */
function partnerView(
  { registered_at: _registeredAt, customer_number, balance_kobo, lookups, contributions, ...partner }: PartnerFigures,
  { complianceRatio }: ComplianceOptions,
): PartnerView {
  if (customer_number === null) throw new ReadModelBehind(customerProjection.name);
  return {
    ...partner,
    customer_number,
    wallet_balance: toNaira(balance_kobo),
    compliance: compliance(lookups, contributions, complianceRatio),
  };
}
