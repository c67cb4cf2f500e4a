import { ApprovalWaits } from '../../contexts/approvals/domain/approval.js';
import { printLine } from './output.js';

/** Returns the result of a change. If it waits for a second person, prints that and returns undefined: nothing has changed yet. */
export async function unlessWaiting<T>(change: Promise<T>): Promise<T | undefined> {
  try {
    return await change;
  } catch (error) {
    if (!(error instanceof ApprovalWaits)) throw error;
    const { approval_id, expires_at } = error.approval;
    printLine(`waits for the approval of a second person until ${expires_at}: rupa approvals approve ${approval_id}`);
    return undefined;
  }
}
