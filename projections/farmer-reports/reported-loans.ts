import { type RowChange } from '../../src/platform/projecting/derived.js';
import { type ContributionRow } from '../contribution/contribution-table.js';
import { loanOf, outstandingOf } from './reported-lists.js';
import { type ReportedLoan } from '../../src/contexts/farmers/domain/reported-item.js';

/** Identifies loans with the repayments that the same partner reported with the same subject and their reference and currency. */
export interface LoanKey {
  readonly subject: string;
  readonly partner_id: string;
  readonly reference: string;
  readonly currency: string;
}

/** Returns the key of a loan or a repayment as text; undefined for a report that belongs to no other. */
export function loanKeyOf({
  event,
  subject,
  partner_id,
  partner_reference,
  loan_reference,
  currency,
}: ContributionRow): string | undefined {
  const reference = event === 'loan_disbursed' ? partner_reference : loan_reference;
  return reference === null ? undefined : JSON.stringify({ subject, partner_id, reference, currency } satisfies LoanKey);
}

/** Returns the keys of the loans and repayments among the reports, each once. */
export function distinctLoanKeys(rows: readonly ContributionRow[]): readonly LoanKey[] {
  return [...new Set(rows.flatMap((row) => loanKeyOf(row) ?? []))].map((key) => JSON.parse(key) as LoanKey);
}

/** Loans with what was repaid of them. */
export class Loans {
  private readonly repaidByKey = new Map<string, bigint>();
  private readonly all = new Map<number, ContributionRow>();

  /** @param rows reports about one farmer, with all repayments of each loan */
  constructor(rows: readonly ContributionRow[]) {
    for (const row of rows) this.add(row);
  }

  /** Returns the loan as a list shows it. */
  shown(loan: ContributionRow): ReportedLoan {
    return loanOf(loan, this.repaid(loan));
  }

  /** Returns the list with what is outstanding now of those loans that are known here. */
  refreshed(list: readonly ReportedLoan[]): readonly ReportedLoan[] {
    return list.map((item) => {
      const loan = this.all.get(item.contribution_id);
      return loan ? this.shown(loan) : item;
    });
  }

  /** Returns what is outstanding of all loans in NGN, in kobo. */
  outstandingKobo(): bigint {
    let sum = 0n;
    for (const loan of this.all.values()) if (loan.currency === 'NGN') sum += outstandingOf(loan, this.repaid(loan));
    return sum;
  }

  /** Makes the loans those before the changes. */
  undo(changes: readonly RowChange<ContributionRow>[]): void {
    for (const { after } of changes) if (after) this.remove(after);
    for (const { before } of changes) if (before) this.add(before);
  }

  private add(row: ContributionRow): void {
    if (row.event === 'loan_disbursed') this.all.set(row.contribution_id, row);
    else this.repay(row, BigInt(row.amount_minor ?? 0));
  }

  private remove(row: ContributionRow): void {
    if (row.event === 'loan_disbursed') this.all.delete(row.contribution_id);
    else this.repay(row, -BigInt(row.amount_minor ?? 0));
  }

  private repay(row: ContributionRow, kobo: bigint): void {
    const key = loanKeyOf(row);
    if (key !== undefined) this.repaidByKey.set(key, (this.repaidByKey.get(key) ?? 0n) + kobo);
  }

  private repaid(loan: ContributionRow): bigint {
    const key = loanKeyOf(loan);
    return (key === undefined ? undefined : this.repaidByKey.get(key)) ?? 0n;
  }
}
