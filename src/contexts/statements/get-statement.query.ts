import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool, type PoolClient } from 'pg';
import { inTransaction } from '../../platform/database/pool.js';
import { Clock } from '../../kernel/clock.js';
import { ReadModels } from '../../platform/projecting/read-models.js';
import { POOL } from '../../platform/injection-tokens.js';
import { type AccountType } from '../../kernel/account-types.js';
import { type Mode } from '../../kernel/modes.js';
import { RegisteredPartners } from '../partners/public.js';
import { type Month } from './domain/month.js';
import { type CreditLine, type FeeTotal, type Movements, type RefundLine, type Statement, statement } from './domain/statement.js';
import { walletStreamOf } from '../wallet/domain/events.js';

export interface PartnerStatement extends Statement {
  readonly partner_id: string;
  readonly company_name: string;
  readonly account_type: AccountType;
  readonly mode: Mode;
  readonly month: Month;
  /** False while the month is not over, so that more entries may follow. */
  readonly complete: boolean;
}

/** Returns a month's statement of a partner's wallet, from its entries. Raises Rejection `partner_unknown`. */
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
    await this.readModels.waitForStream(walletStreamOf(partnerId));
    const found = await inTransaction(this.pool, async (client) => {
      // Balances and movements must come from the same snapshot, because entries may be written in between.
      await client.query('set transaction isolation level repeatable read, read only');
      const [opening, closing] = [await lastBefore(client, partnerId, month.from), await lastBefore(client, partnerId, month.until)];
      return statement(opening.balance_kobo, await movements(client, partnerId, opening.revision, closing.revision), closing.balance_kobo);
    });
    const { partner_id, company_name, account_type, mode } = partner;
    return { partner_id, company_name, account_type, mode, month, complete, ...found };
  }
}

/** Returns the wallet's last entry before a time. The highest revision is the latest, because times never decrease between entries. */
async function lastBefore(
  client: PoolClient,
  partnerId: string,
  time: string,
): Promise<{ readonly revision: number; readonly balance_kobo: number }> {
  const { rows } = await client.query<{ revision: number; balance_kobo: number }>(
    `select revision, balance_after_kobo as balance_kobo from read.wallet_entry
     where partner_id = $1 and recorded_at < $2 order by revision desc limit 1`,
    [partnerId, time],
  );
  return rows[0] ?? { revision: -1, balance_kobo: 0 };
}

/** Returns the movements after one revision, up to and including another. */
async function movements(client: PoolClient, partnerId: string, after: number, to: number): Promise<Movements> {
  const range = [partnerId, after, to];
  const within = 'e.partner_id = $1 and e.revision > $2 and e.revision <= $3';
  const credits = await client.query<CreditLine>(
    `select e.revision, e.recorded_at, e.amount_kobo, e.reference, e.reason from read.wallet_entry e
     where ${within} and e.type = 'WalletCredited' order by e.revision`,
    range,
  );
  const lookups = await client.query<{ count: number }>(
    `select count(*) from read.wallet_entry e where ${within} and e.type = 'WalletDebited'`,
    range,
  );
  const fees = await client.query<FeeTotal>(
    `select fee.key, count(*), sum(fee.value::bigint)::bigint as amount_kobo
     from read.wallet_entry e cross join jsonb_each_text(e.breakdown_kobo) fee
     where ${within} and e.type = 'WalletDebited' group by fee.key order by fee.key collate "C"`,
    range,
  );
  const refunds = await client.query<RefundLine>(
    `select e.revision, e.recorded_at, e.amount_kobo, e.lookup_id, e.rupa_id, e.reason from read.wallet_entry e
     where ${within} and e.type = 'RefundIssued' order by e.revision`,
    range,
  );
  return { credits: credits.rows, lookups: lookups.rows[0]?.count ?? 0, fees: fees.rows, refunds: refunds.rows };
}
