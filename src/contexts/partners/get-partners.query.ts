import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { readSnapshot } from '../../platform/database/held-rows.js';
import { FREE_CALLS_POOL } from '../../platform/injection-tokens.js';
import { mapped } from '../../platform/mapped.js';
import { type Mode } from '../../kernel/modes.js';
import { toNaira } from '../../kernel/money.js';
import { ValidationFailed } from '../../kernel/validation-failed.js';
import { refuseSetAside } from '../../platform/unusable-events/unusable-table.js';
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

const COLUMNS = `p.registered_at, p.partner_id, p.company_name, p.account_type, p.mode, p.status, p.optional_sections, p.ip_allow_list,
  coalesce(w.balance_after_kobo, 0) as balance_kobo, coalesce(u.lookups, 0) as lookups, coalesce(u.contributions, 0) as contributions`;

const BALANCE = `left join lateral (select e.balance_after_kobo from read.wallet_entry e
  where e.partner_id = p.partner_id order by e.revision desc limit 1) w on true`;

const USAGE = 'left join read.partner_usage u on u.partner_id = p.partner_id';

const PARTNERS = `select ${COLUMNS} from read.partner p ${USAGE} ${BALANCE}`;

/** Compares names without regard to case. A search for `100%` finds a name with that text, because it is no pattern. */
const MATCHES = `($1::text is null or strpos(lower(p.company_name), lower($1)) > 0) and ($2::text is null or p.mode = $2)
  and ($3::text is null or p.status = $3)`;

/** Chooses the partners of the page first, so that the balances of the others are not read. */
const NEWEST = `select ${COLUMNS} from (
    select * from read.partner p where ${MATCHES} and ($5::timestamptz is null or (p.registered_at, p.partner_id) < ($5, $6))
    order by p.registered_at desc, p.partner_id desc limit $4
  ) p ${USAGE} ${BALANCE} order by p.registered_at desc, p.partner_id desc`;

/**
 * Reads the newest entry of every wallet through the primary key: about 10 µs each. A column with the balance, indexed, would be faster to
 * sort, but every lookup would have to write its index.
 */
const LOWEST = `select ${COLUMNS} from (
    select p.*, b.balance_after_kobo from read.partner p
    left join lateral (select e.balance_after_kobo from read.wallet_entry e
      where e.partner_id = p.partner_id order by e.revision desc limit 1) b on true
    where ${MATCHES} order by coalesce(b.balance_after_kobo, 0), p.partner_id limit $4
  ) p left join lateral (select p.balance_after_kobo) w on true ${USAGE} order by balance_kobo, p.partner_id`;

/** Returns a partner. Raises Rejection `partner_unknown`. */
export class GetPartner extends Query<PartnerView> {
  constructor(readonly partnerId: string) {
    super();
  }
}

@QueryHandler(GetPartner)
export class GetPartnerHandler implements IQueryHandler<GetPartner> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly options: ComplianceOptions,
  ) {}

  async execute({ partnerId }: GetPartner): Promise<PartnerView> {
    await refuseSetAside(this.pool, [`partner-${partnerId}`, `wallet-${partnerId}`]);
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
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly options: ComplianceOptions,
  ) {}

  async execute(): Promise<AllPartners> {
    return await readSnapshot(this.pool, async (snapshot) => {
      const rows = await snapshot.list<Row>(`${PARTNERS} order by p.registered_at, p.partner_id`, []);
      return { partners: mapped(rows, (row) => partnerView(row, this.options)) };
    });
  }
}

export const PARTNER_SORTS = ['newest', 'balance'] as const;

export interface PartnerFilter {
  /** A part of the company's name, in any case. */
  readonly search?: string | undefined;
  readonly mode?: Mode | undefined;
  readonly status?: PartnerView['status'] | undefined;
}

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

  async execute({ filter: { search, mode, status }, sort, limit, cursor }: GetPartnersPage): Promise<Page<PartnerView>> {
    const values = [search ?? null, mode ?? null, status ?? null];
    if (sort === 'balance') {
      if (cursor !== undefined) throw new ValidationFailed({ cursor: ['The cursor field is not available with sort=balance.'] });
      const { rows } = await this.pool.query<Row>(LOWEST, [...values, limit]);
      return { items: rows.map((row) => partnerView(row, this.options)), next_cursor: null };
    }
    const [registeredAt, partnerId] = CURSORS.position(cursor) ?? [];
    const { rows } = await this.pool.query<Row>(NEWEST, [...values, limit + 1, registeredAt ?? null, partnerId ?? null]);
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
