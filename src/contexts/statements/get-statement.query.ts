import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { readSnapshot, type Snapshot } from '../../platform/database/held-rows.js';
import { Clock } from '../../kernel/clock.js';
import { StoreUnavailable } from '../../platform/event-sourcing/event-store.js';
import { ReadModels } from '../../platform/projecting/read-models.js';
import { POOL } from '../../platform/injection-tokens.js';
import { type AccountType } from '../../kernel/account-types.js';
import { type Mode } from '../../kernel/modes.js';
import { RegisteredPartners } from '../partners/public.js';
import { type Month } from './domain/month.js';
import {
  addingUpTo,
  type CreditLine,
  type FeeTotal,
  type MovementTotals,
  type RefundLine,
  type Statement,
  statement,
} from './domain/statement.js';
import { type WalletEvent, walletStreamOf } from '../wallet/domain/events.js';

export interface PartnerStatement extends Statement, AsyncDisposable {
  readonly partner_id: string;
  readonly company_name: string;
  readonly account_type: AccountType;
  readonly mode: Mode;
  readonly month: Month;
  /** False while the month is not over, so that more entries may follow. */
  readonly complete: boolean;
  /** Oldest first. To be read once, and before the refunds. */
  readonly credits: AsyncIterable<CreditLine>;
  /** Oldest first. To be read once. */
  readonly refunds: AsyncIterable<RefundLine>;
}

/**
 * Returns a month's statement of a partner's wallet, from its entries, to be disposed of when it was read. Raises Rejection
 * `partner_unknown`.
 */
export class GetStatement extends Query<PartnerStatement> {
  constructor(
    readonly partnerId: string,
    readonly month: Month,
  ) {
    super();
  }
}

@QueryHandler(GetStatement)
export class GetStatementHandler implements IQueryHandler<GetStatement> {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly readModels: ReadModels,
    private readonly partners: RegisteredPartners,
    private readonly clock: Clock,
  ) {}

  async execute({ partnerId, month }: GetStatement): Promise<PartnerStatement> {
    const partner = await this.partners.get(partnerId);
    const complete = this.clock.iso() >= month.until;
    if (!(await this.readModels.waitForStream(walletStreamOf(partnerId))))
      throw new StoreUnavailable('The wallet’s entries are behind the event log.');
    const { partner_id, company_name, account_type, mode } = partner;
    // Balances and movements must come from the same snapshot, because entries may be written in between.
    return await readSnapshot(this.pool, async (snapshot) => ({
      partner_id,
      company_name,
      account_type,
      mode,
      month,
      complete,
      ...(await readStatement(snapshot, partnerId, month)),
    }));
  }
}

type ReadStatement = Statement & Pick<PartnerStatement, 'credits' | 'refunds'>;

async function readStatement(snapshot: Snapshot, partnerId: string, month: Month): Promise<ReadStatement> {
  const [opening, closing] = [await lastBefore(snapshot, partnerId, month.from), await lastBefore(snapshot, partnerId, month.until)];
  const entries: Entries = [partnerId, opening.revision, closing.revision];
  const found = statement(opening.balance_kobo, await movementTotals(snapshot, entries), closing.balance_kobo);
  const credits = await snapshot.list<CreditLine>(
    `select e.revision, e.recorded_at, e.amount_kobo, e.reference, e.reason ${AMONG} and e.type = any($4) order by e.revision`,
    [...entries, CREDITS],
  );
  const refunds = await snapshot.list<RefundLine>(
    `select e.revision, e.recorded_at, e.amount_kobo, e.lookup_id, e.rupa_id, e.reason ${AMONG} and e.type = any($4) order by e.revision`,
    [...entries, REFUNDS],
  );
  return {
    ...found,
    credits: addingUpTo(found.totals_kobo.credits, credits),
    refunds: addingUpTo(found.totals_kobo.refunds, refunds),
  };
}

/** Returns the wallet's last entry before a time. The highest revision is the latest, because times never decrease between entries. */
async function lastBefore(
  snapshot: Snapshot,
  partnerId: string,
  time: string,
): Promise<{ readonly revision: number; readonly balance_kobo: number }> {
  const [last] = await snapshot.rows<{ revision: number; balance_kobo: number }>(
    `select revision, balance_after_kobo as balance_kobo from read.wallet_entry
     where partner_id = $1 and recorded_at < $2 order by revision desc limit 1`,
    [partnerId, time],
  );
  return last ?? { revision: -1, balance_kobo: 0 };
}

/** The types of the lines that a statement lists as credits; a reversal is a negative one. */
const CREDITS: readonly WalletEvent['type'][] = ['WalletCredited', 'CreditReversed'];
const REFUNDS: readonly WalletEvent['type'][] = ['RefundIssued', 'LookupCompensated'];

/** A wallet's entries after one revision, up to and including another. */
type Entries = readonly [partnerId: string, after: number, to: number];
const AMONG = 'from read.wallet_entry e where e.partner_id = $1 and e.revision > $2 and e.revision <= $3';

async function movementTotals(snapshot: Snapshot, entries: Entries): Promise<MovementTotals> {
  const byType = await snapshot.rows<{ type: WalletEvent['type']; count: number; amount_kobo: number }>(
    `select e.type, count(*), sum(e.amount_kobo)::bigint as amount_kobo ${AMONG} group by e.type`,
    entries,
  );
  const fees = await snapshot.rows<FeeTotal>(
    `select fee.key, count(*), sum(fee.value::bigint)::bigint as amount_kobo
     from (select e.breakdown_kobo ${AMONG} and e.type = 'WalletDebited') e cross join jsonb_each_text(e.breakdown_kobo) fee
     group by fee.key order by fee.key collate "C"`,
    entries,
  );
  const of = (types: readonly WalletEvent['type'][]) => byType.filter(({ type }) => types.includes(type));
  return {
    credits_kobo: sumOf(of(CREDITS)),
    refunds_kobo: sumOf(of(REFUNDS)),
    lookups: of(['WalletDebited'])[0]?.count ?? 0,
    fees,
  };
}

function sumOf(totals: readonly { readonly amount_kobo: number }[]): number {
  return totals.reduce((sum, { amount_kobo }) => sum + amount_kobo, 0);
}
