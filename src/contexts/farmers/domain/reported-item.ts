import { type AccountType } from '../../../kernel/accounts.js';

/** An item of a section that comes from a partner's report. It names the reporter's account type only. */
export interface ReportedItem {
  readonly contribution_id: number;
  readonly account_type: AccountType;
  /** Hundredths of the currency; null if the report has no amount. */
  readonly amount_minor: number | null;
  readonly currency: string;
  readonly occurred_at: string;
}

export type ReportedLoan = ReportedItem & { readonly outstanding_minor: number | null };
export type ReportedPolicy = ReportedItem & { readonly expires_at: string | null };
export type ReportedGoods = ReportedItem & {
  readonly goods: { readonly item: string | null; readonly quantity: number | null; readonly unit: string | null } | null;
};
