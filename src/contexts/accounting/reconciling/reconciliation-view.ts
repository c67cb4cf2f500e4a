import { toNaira } from '../../../kernel/money.js';
import { type BankPayment, type PaymentCredit, type Reconciliation } from '../domain/reconcile.js';
import { type BankReconciliation } from './reconcile-bank-text.query.js';
import {
  type BankPaymentView,
  type DifferingPaymentView,
  LISTED,
  type PaymentCreditView,
  type ReconciliationView,
} from './reconciliation.dto.js';

/** The differences by kind, with amounts in NGN. */
export interface DifferencesView {
  readonly missing_credits: readonly BankPaymentView[];
  readonly missing_payments: readonly PaymentCreditView[];
  readonly double_payments: readonly BankPaymentView[];
  readonly double_credits: readonly PaymentCreditView[];
  readonly differing: readonly DifferingPaymentView[];
}

/** Returns a reconciliation as the admin interface responds with it: the first {@link LISTED} differences of each kind. */
export function bankReconciliationView({ mode, days, from, to, file, found }: BankReconciliation): ReconciliationView {
  const { payments, skipped, date_order } = file;
  const all = differencesView(found);
  return {
    ok: isReconciled(found),
    mode,
    days,
    from,
    to,
    payments: payments.length,
    skipped,
    date_order,
    matched: found.matched,
    differences: Object.values(all).reduce<number>((sum, { length }: readonly unknown[]) => sum + length, 0),
    missing_credits: all.missing_credits.slice(0, LISTED),
    missing_payments: all.missing_payments.slice(0, LISTED),
    double_payments: all.double_payments.slice(0, LISTED),
    double_credits: all.double_credits.slice(0, LISTED),
    differing: all.differing.slice(0, LISTED),
  };
}

/** Returns a reconciliation as `rupa ledger reconcile --json` prints it, with amounts in NGN. */
export function reconciliationView(found: Reconciliation): object {
  return { ok: isReconciled(found), matched: found.matched, ...differencesView(found) };
}

function differencesView(found: Reconciliation): DifferencesView {
  return {
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

function paymentView({ amount_kobo, ...payment }: BankPayment): BankPaymentView {
  return { ...payment, amount: toNaira(amount_kobo) };
}

function creditView({ amount_kobo, reversed_kobo, ...credit }: PaymentCredit): PaymentCreditView {
  return { ...credit, amount: toNaira(amount_kobo), reversed: toNaira(reversed_kobo) };
}
