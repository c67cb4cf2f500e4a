import { toNaira } from '../../kernel/money.js';
import { type BankPayment, type PaymentCredit, type Reconciliation } from './domain/reconcile.js';

/** Returns a reconciliation as `rupa ledger reconcile --json` prints it, with amounts in NGN. */
export function reconciliationView(found: Reconciliation): object {
  return {
    ok: isReconciled(found),
    matched: found.matched,
    missing_credits: found.missing_credits.map(paymentView),
    missing_payments: found.missing_payments.map(creditView),
    double_payments: found.double_payments.map(paymentView),
    double_credits: found.double_credits.map(creditView),
    differing: found.differing.map(({ payment, credit, fields }) => ({
      fields,
      payment: paymentView(payment),
      credit: creditView(credit),
    })),
  };
}

/** Returns whether the payments and the credits agree. */
export function isReconciled({ missing_credits, missing_payments, double_payments, double_credits, differing }: Reconciliation): boolean {
  return [missing_credits, missing_payments, double_payments, double_credits, differing].every(({ length }) => length === 0);
}

function paymentView({ amount_kobo, ...payment }: BankPayment): object {
  return { ...payment, amount: toNaira(amount_kobo) };
}

function creditView({ amount_kobo, reversed_kobo, ...credit }: PaymentCredit): object {
  return { ...credit, amount: toNaira(amount_kobo), reversed: toNaira(reversed_kobo) };
}
