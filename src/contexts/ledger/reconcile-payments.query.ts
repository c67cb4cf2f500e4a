import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { type Mode } from '../../kernel/modes.js';
import { readSnapshot } from '../../platform/database/held-rows.js';
import { StoreUnavailable } from '../../platform/event-sourcing/event-store.js';
import { FREE_CALLS_POOL } from '../../platform/injection-tokens.js';
import { ReadModels } from '../../platform/projecting/read-models.js';
import {
  type BankPayment,
  type PaymentCredit,
  reconcile,
  type ReconcileOptions,
  type Reconciliation,
  referenceKey,
} from './domain/reconcile.js';

/**
 * Matches a bank's payments with the credits of all wallets of a mode.
 * @throws StoreUnavailable if the read models are behind, because credits would seem to be missing
 */
export class ReconcilePayments extends Query<Reconciliation> {
  constructor(
    readonly payments: readonly BankPayment[],
    readonly mode: Mode,
    readonly options: ReconcileOptions,
  ) {
    super();
  }
}

const CREDITS = `select p.partner_id, p.company_name, e.revision, e.reference, e.amount_kobo, e.recorded_at,
    (select coalesce(-sum(r.amount_kobo), 0)::bigint from read.wallet_entry r
     where r.partner_id = e.partner_id and r.credit_reference = e.reference and r.type = 'CreditReversed') as reversed_kobo
  from read.wallet_entry e join read.partner p on p.partner_id = e.partner_id
  where p.mode = $1 and e.type = 'WalletCredited' and e.kind = 'payment'
  order by e.recorded_at, e.partner_id, e.revision`;

@QueryHandler(ReconcilePayments)
export class ReconcilePaymentsHandler implements IQueryHandler<ReconcilePayments> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly readModels: ReadModels,
  ) {}

  async execute({ payments, mode, options }: ReconcilePayments): Promise<Reconciliation> {
    if (!(await this.readModels.waitForAll())) throw new StoreUnavailable('The wallets’ entries are behind the event log.');
    const references = new Set(payments.map(({ reference }) => referenceKey(reference)));
    const matters = ({ reference, recorded_at }: PaymentCredit): boolean => {
      const day = recorded_at.slice(0, 10);
      return (day >= options.from && day <= options.to) || references.has(referenceKey(reference));
    };
    await using found = await readSnapshot(this.pool, async (snapshot) => ({
      credits: await snapshot.list<PaymentCredit>(CREDITS, [mode]),
    }));
    const credits: PaymentCredit[] = [];
    for await (const credit of found.credits) if (matters(credit)) credits.push(credit);
    return reconcile(payments, credits, options);
  }
}
