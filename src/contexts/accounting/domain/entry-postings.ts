import { PROVIDERS } from '../../wallet/domain/fees.js';
import { type Account, kindOf, OPENING_ACCOUNTS } from './chart-of-accounts.js';
import { type EntryKind, type LedgerEntryPosted, type ReversibleKind } from './events.js';
import { credit, debit, type Posting } from './postings.js';

/** The part of a ledger entry that decides the accounts of its postings. */
export type EntryContent = Pick<LedgerEntryPosted['data'], 'kind' | 'account' | 'of_kind'>;
/** The part of a ledger entry that decides its postings. */
type Posted = EntryContent & Pick<LedgerEntryPosted['data'], 'amount_kobo'>;

const CASH = 'cash_received';

/** The names that `account` may have, by the kind of entry. The other kinds have no account. */
export const ENTRY_ACCOUNTS: Readonly<Partial<Record<EntryKind, readonly string[]>>> = {
  passthrough_settlement: PROVIDERS,
  opening_balance: OPENING_ACCOUNTS,
};

/** Returns the two postings of an entry, debit first (finance, "Money in and out"). A reversal has those of its entry, exchanged. */
export function entryPostings(entry: Posted): readonly [Posting, Posting] {
  const [debited, credited] = entrySides(entry);
  return [debit(debited, entry.amount_kobo), credit(credited, entry.amount_kobo)];
}

/** Returns the account that an entry debits, and the one that it credits. */
export function entrySides(entry: EntryContent): readonly [debited: Account, credited: Account] {
  const [debited, credited] = sidesOf(kindPosted(entry), entry.account ?? '');
  return entry.kind === 'reversal' ? [credited, debited] : [debited, credited];
}

/**
 * Returns what an entry brought into the bank account, in integer kobo; below 0 for what left it, and 0 for an opening balance, which no
 * line of the bank stands for.
 */
export function cashMovedBy(entry: Posted): number {
  if (kindPosted(entry) === 'opening_balance') return 0;
  const [debited, credited] = entrySides(entry);
  if (debited === CASH) return entry.amount_kobo;
  return credited === CASH ? -entry.amount_kobo : 0;
}

/** Returns the account that an entry of this kind must not overdraw; null if nothing bounds it. */
export function boundedAccount(kind: EntryKind, account: string | null): Account | null {
  if (kind === 'passthrough_settlement' || kind === 'vat_remittance') return sidesOf(kind, account ?? '')[0];
  return kind === 'wht_certificate' ? sidesOf(kind, '')[1] : null;
}

/** Returns the kind of the entry that a reversal undoes, or that of the entry itself. Every reversal of this service names that kind. */
function kindPosted({ kind, of_kind = 'opening_balance' }: EntryContent): ReversibleKind {
  return kind === 'reversal' ? of_kind : kind;
}

function sidesOf(kind: ReversibleKind, account: string): readonly [debited: Account, credited: Account] {
  switch (kind) {
    case 'passthrough_settlement':
      return [`passthrough_payable.${account}`, CASH];
    case 'vat_remittance':
      return ['vat_payable', CASH];
    case 'wht_certificate':
      return ['wht_credit_notes', 'wht_receivable'];
    case 'bank_charge':
      return ['bank_charges', CASH];
    case 'bank_interest':
      return [CASH, 'interest_income'];
    case 'opening_balance': {
      const opened = account as Account;
      return kindOf(opened) === 'liability' ? ['opening_balances', opened] : [opened, 'opening_balances'];
    }
  }
}
