import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { POOL } from '../../platform/injection-tokens.js';
import { toNaira } from '../../kernel/money.js';
import { compliance, ComplianceOptions } from './compliance.js';
import { PartnerRejection } from './domain/rejections.js';
import { type PartnerView } from './partner-responses.dto.js';

type Row = Omit<PartnerView, 'wallet_balance' | 'compliance'> & {
  readonly balance_kobo: number;
  readonly lookups: number;
  readonly contributions: number;
};

/** Returns all partners, or one. Raises Rejection `partner_unknown` if that one does not exist. */
export class GetPartners extends Query<PartnerView[]> {
  constructor(readonly partnerId?: string) {
    super();
  }
}

@QueryHandler(GetPartners)
export class GetPartnersHandler implements IQueryHandler<GetPartners> {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly options: ComplianceOptions,
  ) {}

  async execute({ partnerId }: GetPartners): Promise<PartnerView[]> {
    const { rows } = await this.pool.query<Row>(
      `select p.partner_id, p.company_name, p.account_type, p.mode, p.status, p.optional_sections, p.ip_allow_list,
              coalesce(w.balance_after_kobo, 0) as balance_kobo, coalesce(u.lookups, 0) as lookups, coalesce(u.contributions, 0) as contributions
       from read.partner p
       left join read.partner_usage u on u.partner_id = p.partner_id
       left join lateral (select e.balance_after_kobo from read.wallet_entry e
                          where e.partner_id = p.partner_id order by e.revision desc limit 1) w on true
       where $1::text is null or p.partner_id = $1
       order by p.registered_at, p.partner_id`,
      [partnerId ?? null],
    );
    if (partnerId !== undefined && rows.length === 0) throw new PartnerRejection('partner_unknown');
    return rows.map(({ balance_kobo, lookups, contributions, ...partner }) => ({
      ...partner,
      wallet_balance: toNaira(balance_kobo),
      compliance: compliance(lookups, contributions, this.options.complianceRatio),
    }));
  }
}
