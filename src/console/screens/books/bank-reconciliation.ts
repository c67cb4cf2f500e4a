import { type ReconciliationView } from '../../../contexts/accounting/reconciling/reconciliation.dto.js';
import { AdminApiError } from '../../admin-api.js';
import { type Form } from '../../form.js';
import { type Visit } from '../../screen.js';

/** The fields of the form, which the page shows again with the result. */
export interface BankInput {
  readonly mode: string;
  readonly reference: string;
  readonly amount: string;
  readonly date: string;
  readonly csv: string;
}

export const NO_INPUT: BankInput = { mode: 'live', reference: 'reference', amount: 'amount', date: 'date', csv: '' };

export function bankInputOf(form: Form): BankInput {
  return {
    mode: form.text('mode'),
    reference: form.text('reference'),
    amount: form.text('amount'),
    date: form.text('date'),
    csv: form.text('csv'),
  };
}

/** Matches pasted payments with the credits of a mode. @returns a sentence if the interface refuses the text */
export async function reconciled({ api }: Visit, { mode, reference, amount, date, csv }: BankInput): Promise<ReconciliationView | string> {
  const columns = { reference_column: reference, amount_column: amount, date_column: date };
  try {
    return await api.post<ReconciliationView>('/ledger/reconciliations', { ...columns, mode, csv });
  } catch (error) {
    if (!(error instanceof AdminApiError) || error.status >= 500) throw error;
    const { errors = {} } = error.data as { readonly errors?: Readonly<Record<string, readonly string[]>> };
    return Object.values(errors).flat().join(' ') || error.message;
  }
}
