import { type VNode } from 'preact';
import { BankFileThread } from '../../../contexts/accounting/reconciling/bank-file-thread.js';
import { type ReconciliationView } from '../../../contexts/accounting/reconciling/reconciliation.dto.js';
import { ValidationFailed } from '../../../kernel/validation-failed.js';
import { AdminApiError } from '../../admin-api.js';
import { Notice } from '../../components/text.js';
import { type Routes, type Visit } from '../../screen.js';
import { resultPart } from './reconciliation-result.js';
import { columnsPart, reconciliationScreen } from './reconciliation-screen.js';

/** The page on which a bank's file is compared with the books. */
export function addReconciliationScreens(routes: Routes): void {
  routes.screen('/books/reconciliation', reconciliationScreen);
  routes.upload('/books/reconciliation/columns', async (_visit, file) => {
    try {
      using thread = await BankFileThread.inTurn();
      return columnsPart(await thread.beginnings(file));
    } catch (error) {
      if (error instanceof ValidationFailed) return <Notice tone="bad">{error.sentences.join(' ')}</Notice>;
      throw error;
    }
  });
  routes.upload('/books/reconciliation/result', reconciled);
}

async function reconciled({ api, query }: Visit, file: Buffer): Promise<VNode> {
  try {
    return resultPart(await api.postFile<ReconciliationView>('/ledger/reconciliations', query, file));
  } catch (error) {
    if (!(error instanceof AdminApiError) || error.status >= 500) throw error;
    const { errors = {} } = error.data as { readonly errors?: Readonly<Record<string, readonly string[]>> };
    return <Notice tone="bad">{Object.values(errors).flat().join(' ') || error.message}</Notice>;
  }
}
