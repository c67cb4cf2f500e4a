import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { walletEntryProjection } from '../../../../projections/wallet-entry/wallet-entry.projection.js';
import { paymentCredits } from '../../../../projections/wallet-entry/books.reader.js';
import { type Mode } from '../../../kernel/accounts.js';
import { readSnapshot } from '../../../platform/database/held-rows.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { DOCUMENT_WAIT_MS, ReadModels } from '../../../platform/projecting/read-models.js';
import {
  type BankPayment,
  type PaymentCredit,
  reconcile,
  type ReconcileOptions,
  type Reconciliation,
  referenceKey,
} from '../domain/reconcile.js';

/**
 * Matches a bank's payments with the credits of all wallets of a mode.
 * @throws ReadModelBehind, because credits would seem to be missing
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

@QueryHandler(ReconcilePayments)
export class ReconcilePaymentsHandler implements IQueryHandler<ReconcilePayments> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly readModels: ReadModels,
  ) {}

  async execute({ payments, mode, options }: ReconcilePayments): Promise<Reconciliation> {
    await this.readModels.waitForLog([walletEntryProjection], DOCUMENT_WAIT_MS);
    const references = new Set(payments.map(({ reference }) => referenceKey(reference)));
    const matters = ({ reference, recorded_at }: PaymentCredit): boolean => {
      const day = recorded_at.slice(0, 10);
      return (day >= options.from && day <= options.to) || references.has(referenceKey(reference));
    };
    await using found = await readSnapshot(this.pool, async (snapshot) => ({
      credits: await paymentCredits(snapshot, mode),
    }));
    const credits: PaymentCredit[] = [];
    for await (const credit of found.credits) if (matters(credit)) credits.push(credit);
    return reconcile(payments, credits, options);
  }
}
