import { postings } from '../../src/contexts/accounting/domain/postings.js';
import { type WalletEvent } from '../../src/contexts/wallet/domain/events.js';

/**
 * Returns a sentence for each fault in the double entry of a wallet, after each of its events: debits equal credits, the partner's balance
 * is the wallet's, nobody is given back more than was charged to an account, and no more is taken back than was credited to one.
 */
export function booksKept(events: readonly WalletEvent[]): string[] {
  const balances = new Map<string, number>();
  let paidOut = 0;
  return events.flatMap((event, revision) => {
    for (const { account, debit_kobo, credit_kobo } of postings(event))
      balances.set(account, (balances.get(account) ?? 0) + debit_kobo - credit_kobo);
    if (event.type === 'WalletPaidOut') paidOut += event.data.amount_kobo;
    const total = [...balances.values()].reduce((sum, kobo) => sum + kobo, 0);
    const partner = -(balances.get('partner_balances') ?? 0);
    const faults = [
      ...(total === 0 ? [] : [`debits exceed credits by ${total} kobo`]),
      ...(partner === event.data.balance_after_kobo ? [] : [`the partner's account holds ${partner} kobo`]),
      ...[...balances].flatMap(([account, kobo]) =>
        isOnWrongSide(account, kobo, paidOut) ? [`${account} has a balance of ${kobo} kobo`] : [],
      ),
    ];
    return faults.map((fault) => `After revision ${revision} (${event.type}), ${fault}.`);
  });
}

/**
 * Fees are income or liabilities, below 0; credits are cash or expenses, above 0. Contra accounts have the other side. A payout may pay out
 * what the service gave away, so cash is above 0 without the payouts.
 */
function isOnWrongSide(account: string, kobo: number, paidOut: number): boolean {
  if (/^(vat_payable$|(revenue|passthrough_payable)\.)/.test(account)) return kobo > 0;
  if (account === 'cash_received') return kobo + paidOut < 0;
  return account.endsWith('_expense') ? kobo < 0 : false;
}
