import { ValidationFailed } from '../../../kernel/validation-failed.js';
import { doWork } from '../../../platform/work-thread.js';
import { BEGINNING_ROWS } from '../domain/reconciling/bank-columns.js';
import { reconcile } from '../domain/reconciling/reconcile.js';
import { fileOf, tablesOf } from './bank-file.js';
import { type BankDone, type BankWork } from './bank-file-thread.js';

doWork(async (work: BankWork): Promise<BankDone> => {
  try {
    return { result: await resultOf(work) };
  } catch (error) {
    // A thread passes on an error without its class.
    if (error instanceof ValidationFailed) return { refused: error.errors };
    throw error;
  }
});

async function resultOf(work: BankWork): Promise<unknown> {
  switch (work.kind) {
    case 'beginnings':
      return (await tablesOf(work.bytes)).map(({ sheet, rows }) => ({ sheet, rows: rows.slice(0, BEGINNING_ROWS) }));
    case 'rows':
      return await fileOf(work.bytes, work.columns);
    case 'reconciliation':
      return reconcile(work.file, work.movements, work.options);
  }
}
