import { sumInNaira } from '../../../kernel/money.js';
import { kindOf } from '../domain/chart-of-accounts.js';
import { type ClosedAccount } from '../domain/events.js';
import { type CloseResult } from './close-period.command.js';
import { type ClosedAccountView, type ClosedPeriodView } from './periods.dto.js';

export function closedPeriodView({ closed, created }: CloseResult): ClosedPeriodView {
  const { period, mode, recorded_at, actor, accounts, entries, index } = closed;
  return { period, mode, closed_at: recorded_at, closed_by: actor, accounts: accounts.map(accountView), entries, index, created };
}

export function accountView({ account, opening_kobo, debit_kobo, credit_kobo, closing_kobo }: ClosedAccount): ClosedAccountView {
  return {
    account,
    kind: kindOf(account),
    opening: sumInNaira(BigInt(opening_kobo)),
    debit: sumInNaira(BigInt(debit_kobo)),
    credit: sumInNaira(BigInt(credit_kobo)),
    closing: sumInNaira(BigInt(closing_kobo)),
  };
}
