/** A payment in a bank's file. */
export interface BankPayment {
  /** Line of the file, from 1. */
  readonly line: number;
  readonly reference: string;
  readonly amount_kobo: number;
  /** yyyy-mm-dd, as the bank wrote it. */
  readonly date: string;
}

/** A credit of the kind `payment`. */
export interface PaymentCredit {
  readonly partner_id: string;
  readonly company_name: string;
  readonly revision: number;
  readonly reference: string;
  /** Integer kobo that reached the bank: the credit less bank fee and withheld tax. */
  readonly amount_kobo: number;
  /** Integer kobo of it that reversals took back. */
  readonly reversed_kobo: number;
  /** ISO 8601, UTC. */
  readonly recorded_at: string;
}

export type DifferingField = 'amount' | 'date';

export interface Reconciliation {
  readonly matched: number;
  /** Payments at the bank that no wallet was credited with. */
  readonly missing_credits: readonly BankPayment[];
  /** Credits without a payment at the bank. */
  readonly missing_payments: readonly PaymentCredit[];
  /** Payments at the bank beyond the credits of their reference. */
  readonly double_payments: readonly BankPayment[];
  /** Credits beyond the payments of their reference. */
  readonly double_credits: readonly PaymentCredit[];
  readonly differing: readonly {
    readonly payment: BankPayment;
    readonly credit: PaymentCredit;
    readonly fields: readonly DifferingField[];
  }[];
}

export interface ReconcileOptions {
  /** Days by which a credit may be recorded before or after the bank's date. */
  readonly days: number;
  /** The first and the last day (yyyy-mm-dd) within which a credit needs a payment. */
  readonly from: string;
  readonly to: string;
}

const DAY_MS = 86_400_000;

/** Returns a reference in the form in which references are compared: without case, and with single spaces. */
export function referenceKey(reference: string): string {
  return reference.trim().replaceAll(/\s+/g, ' ').toLowerCase();
}

/** Returns what is left of a credit. */
export function remaining({ amount_kobo, reversed_kobo }: PaymentCredit): number {
  return amount_kobo - reversed_kobo;
}

export function dayAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}

/**
 * Matches a bank's payments with credits: by reference first; amount (what is left of the credit) and date then tell whether they agree.
 * A credit that was reversed as a whole needs no payment. Everything is in the order in which it was given.
 */
export function reconcile(
  payments: readonly BankPayment[],
  credits: readonly PaymentCredit[],
  { days, from, to }: ReconcileOptions,
): Reconciliation {
  const [paid, credited] = [byReference(payments), byReference(credits)];
  const found = { matched: 0, missing_credits: [], missing_payments: [], double_payments: [], double_credits: [], differing: [] } as Found;
  for (const [key, of] of paid) pair(of, credited.get(key) ?? [], days, found);
  const needsPayment = (credit: PaymentCredit): boolean => {
    const day = credit.recorded_at.slice(0, 10);
    return remaining(credit) > 0 && day >= from && day <= to;
  };
  for (const [key, of] of credited) if (!paid.has(key)) found.missing_payments.push(...of.filter(needsPayment));
  return found;
}

type Found = {
  -readonly [Key in keyof Reconciliation]: Reconciliation[Key] extends readonly (infer Item)[] ? Item[] : Reconciliation[Key];
};

/** Pairs the payments and the credits of one reference: those that agree first, then the others in their order. */
function pair(payments: readonly BankPayment[], credits: readonly PaymentCredit[], days: number, found: Found): void {
  const open = [...credits];
  const rest = payments.filter((payment) => {
    const at = open.findIndex((credit) => differences(payment, credit, days).length === 0);
    if (at >= 0) open.splice(at, 1);
    return at < 0;
  });
  found.matched += payments.length - rest.length;
  // A credit that was reversed as a whole is the last choice: its payment may have been credited to another wallet.
  open.sort((a, b) => Number(remaining(a) === 0) - Number(remaining(b) === 0));
  for (const payment of rest) {
    const credit = open.shift();
    if (credit) found.differing.push({ payment, credit, fields: differences(payment, credit, days) });
    else (credits.length === 0 ? found.missing_credits : found.double_payments).push(payment);
  }
  found.double_credits.push(...open.filter((credit) => remaining(credit) > 0));
}

function differences(payment: BankPayment, credit: PaymentCredit, days: number): DifferingField[] {
  const apart = Math.abs(Date.parse(payment.date) - Date.parse(credit.recorded_at.slice(0, 10))) / DAY_MS;
  return [...(payment.amount_kobo === remaining(credit) ? [] : (['amount'] as const)), ...(apart <= days ? [] : (['date'] as const))];
}

function byReference<Item extends { readonly reference: string }>(items: readonly Item[]): Map<string, Item[]> {
  const grouped = new Map<string, Item[]>();
  for (const item of items) {
    const key = referenceKey(item.reference);
    const group = grouped.get(key);
    if (group) group.push(item);
    else grouped.set(key, [item]);
  }
  return grouped;
}
