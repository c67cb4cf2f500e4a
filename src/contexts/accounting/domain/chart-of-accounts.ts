import { PROVIDERS } from '../../wallet/domain/fees.js';

export const ACCOUNT_KINDS = ['asset', 'liability', 'income', 'expense', 'equity'] as const;
export type AccountKind = (typeof ACCOUNT_KINDS)[number];

/** The accounts by name, or by the beginning of the name of those that there are several of (admin, "Books"; finance, "Money in and out"). */
const CHART = {
  cash_received: 'asset',
  wht_receivable: 'asset',
  wht_credit_notes: 'asset',
  /** The money that partners can still spend: the sum of their wallets' balances. */
  partner_balances: 'liability',
  passthrough_payable: 'liability',
  /** The VAT in the fees of sections, which the service owes to the tax authority. */
  vat_payable: 'liability',
  revenue: 'income',
  /** Refunds that were recorded without the breakdown of their charge; a contra account. */
  refunds: 'income',
  interest_income: 'income',
  goodwill_expense: 'expense',
  correction_expense: 'expense',
  bank_charges: 'expense',
  /** The other side of the balances that the books begin with. */
  opening_balances: 'equity',
} as const satisfies Readonly<Record<string, AccountKind>>;

type Ledger = keyof typeof CHART;
type Divided = 'passthrough_payable' | 'revenue';
export type Account = Exclude<Ledger, Divided> | `${Divided}.${string}`;

/** Returns the kind of an account; null for one that only a later release posts to. */
export function kindOf(account: string): AccountKind | null {
  const [ledger = ''] = account.split('.', 1);
  return Object.hasOwn(CHART, ledger) ? CHART[ledger as Ledger] : null;
}

/** The accounts that may have an opening balance (finance, "Money in and out"). Wallets alone say what partners have, and what was earned. */
export const OPENING_ACCOUNTS: readonly Account[] = [
  'cash_received',
  'wht_receivable',
  'wht_credit_notes',
  ...PROVIDERS.map((provider) => `passthrough_payable.${provider}` as const),
  'vat_payable',
  'goodwill_expense',
  'correction_expense',
  'bank_charges',
];
