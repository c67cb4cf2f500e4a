import { type BankFile, readBankFile, UnreadableBankFile } from '../../../contexts/ledger/bank-file.js';
import { dayAfter, type Reconciliation } from '../../../contexts/ledger/domain/reconcile.js';
import { ReconcilePayments } from '../../../contexts/ledger/reconcile-payments.query.js';
import { type Mode } from '../../../kernel/modes.js';
import { type Form } from '../../form.js';
import { type Visit } from '../../screen.js';

/** Days by which a credit may be recorded before or after the bank's date, as in `rupa ledger reconcile` without `--days`. */
export const DAYS = 3;

/** The fields of the form, which the page shows again with the result. */
export interface BankInput {
  readonly mode: Mode;
  readonly reference: string;
  readonly amount: string;
  readonly date: string;
  readonly csv: string;
}

/** A reconciliation with the days within which a credit needs a payment. */
export interface Reconciled {
  readonly found: Reconciliation;
  readonly file: BankFile;
  readonly from: string;
  readonly to: string;
}

export const NO_INPUT: BankInput = { mode: 'live', reference: 'reference', amount: 'amount', date: 'date', csv: '' };

export function bankInputOf(form: Form): BankInput {
  return {
    mode: form.text('mode') === 'sandbox' ? 'sandbox' : 'live',
    reference: form.text('reference'),
    amount: form.text('amount'),
    date: form.text('date'),
    csv: form.text('csv'),
  };
}

/** Matches pasted payments with the credits of a mode. @returns a sentence if the text cannot be read */
export async function reconciled({ queries }: Visit, input: BankInput): Promise<Reconciled | string> {
  const file = fileOf(input);
  if (typeof file === 'string') return file;
  const dates = file.payments.map(({ date }) => date).sort();
  const [from, to] = [dayAfter(dates[0] ?? '', -DAYS), dayAfter(dates.at(-1) ?? '', DAYS)];
  const found = await queries.execute(new ReconcilePayments(file.payments, input.mode, { days: DAYS, from, to }));
  return { found, file, from, to };
}

/** Returns the payments of the pasted text; a sentence that says why it cannot be read. */
export function fileOf({ csv, reference, amount, date }: BankInput): BankFile | string {
  try {
    const file = readBankFile(Buffer.from(csv), { reference, amount, date });
    return file.payments.length > 0 ? file : `There is no payment in the column ${JSON.stringify(amount)}.`;
  } catch (error) {
    if (error instanceof UnreadableBankFile) return error.message;
    throw error;
  }
}
