import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { readSnapshot } from '../../platform/database/held-rows.js';
import { POOL } from '../../platform/injection-tokens.js';
import { mapped } from '../../platform/mapped.js';
import { toNaira } from '../../kernel/money.js';
import { compliance, ComplianceOptions } from './compliance.js';
import { Cursors, type Page } from '../../http/paging.js';
import { PartnerRejection } from './domain/rejections.js';
import { type PartnerView } from './partner-responses.dto.js';

type Row = Omit<PartnerView, 'wallet_balance' | 'compliance'> & {
  readonly registered_at: string;
  readonly balance_kobo: number;
  readonly lookups: number;
  readonly contributions: number;
};

const PARTNERS = `select p.registered_at, p.partner_id, p.company_name, p.account_type, p.mode, p.status, p.optional_sections, p.ip_allow_list,
         coalesce(w.balance_after_kobo, 0) as balance_kobo, coalesce(u.lookups, 0) as lookups, coalesce(u.contributions, 0) as contributions
  from read.partner p
  left join read.partner_usage u on u.partner_id = p.partner_id
  left join lateral (select e.balance_after_kobo from read.wallet_entry e
                     where e.partner_id = p.partner_id order by e.revision desc limit 1) w on true`;

/** Returns a partner. Raises Rejection `partner_unknown`. */
export class GetPartner extends Query<PartnerView> {
  constructor(readonly partnerId: string) {
    super();
  }
}

@QueryHandler(GetPartner)
export class GetPartnerHandler implements IQueryHandler<GetPartner> {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly options: ComplianceOptions,
  ) {}

  async execute({ partnerId }: GetPartner): Promise<PartnerView> {
    const { rows } = await this.pool.query<Row>(`${PARTNERS} where p.partner_id = $1`, [partnerId]);
    const [partner] = rows;
    if (!partner) throw new PartnerRejection('partner_unknown');
    return partnerView(partner, this.options);
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
    @Inject(POOL) private readonly pool: Pool,
    private readonly options: ComplianceOptions,
  ) {}

  async execute(): Promise<AllPartners> {
    return await readSnapshot(this.pool, async (snapshot) => {
      const rows = await snapshot.list<Row>(`${PARTNERS} order by p.registered_at, p.partner_id`, []);
      return { partners: mapped(rows, (row) => partnerView(row, this.options)) };
    });
  }
}

/**
 * Returns a page of the partners, the one registered last first.
 * @throws ValidationFailed if the cursor is malformed
 */
export class GetPartnersPage extends Query<Page<PartnerView>> {
  constructor(
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
    @Inject(POOL) private readonly pool: Pool,
    private readonly options: ComplianceOptions,
  ) {}

  async execute({ limit, cursor }: GetPartnersPage): Promise<Page<PartnerView>> {
    const [registeredAt, partnerId] = CURSORS.position(cursor) ?? [];
    const { rows } = await this.pool.query<Row>(
      `${PARTNERS} where $1::timestamptz is null or (p.registered_at, p.partner_id) < ($1, $2)
       order by p.registered_at desc, p.partner_id desc limit $3`,
      [registeredAt ?? null, partnerId ?? null, limit + 1],
    );
    const { items, next_cursor } = CURSORS.page(rows, limit, ({ registered_at, partner_id }) => [registered_at, partner_id]);
    return { items: items.map((row) => partnerView(row, this.options)), next_cursor };
  }
}

function partnerView(
  { registered_at: _registeredAt, balance_kobo, lookups, contributions, ...partner }: Row,
  { complianceRatio }: ComplianceOptions,
): PartnerView {
  return { ...partner, wallet_balance: toNaira(balance_kobo), compliance: compliance(lookups, contributions, complianceRatio) };
}
