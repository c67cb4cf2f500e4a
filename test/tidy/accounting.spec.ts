import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { entryPostings } from '../../src/contexts/accounting/domain/entry-postings.js';
import { ENTRY_KINDS, type LedgerEntryPosted } from '../../src/contexts/accounting/domain/events.js';
import { type Posting, postings } from '../../src/contexts/accounting/domain/postings.js';
import { type WalletEvent } from '../../src/contexts/wallet/domain/events.js';
import { formatNaira } from '../../src/kernel/money.js';

interface Example {
  readonly title: string;
  readonly event: WalletEvent | LedgerEntryPosted;
  /** Account, debit and credit as the page shows them; an empty text for 0. */
  readonly entry: readonly string[][];
}

const page = readFileSync('docs/accounting.md', 'utf8');
const [, chart = '', entries = ''] =
  /## Chart of accounts\n([^]*?)\n## An entry for every event\n([^]*?)\n## Statements and invoices\n/.exec(page) ?? [];

/** Returns the cells of a table's rows, without its head. */
function rowsOf(markdown: string): string[][] {
  return markdown
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    );
}

const examples: readonly Example[] = entries
  .split('\n### ')
  .slice(1)
  // Sections of another heading have tables of their own.
  .map((section) => section.split('\n## ', 1)[0] ?? '')
  .flatMap((section) =>
    [...section.matchAll(/```json\n([^]*?)```/g)].map(([, json = '']) => ({
      title: section.slice(0, section.indexOf('\n')),
      event: JSON.parse(json) as Example['event'],
      entry: rowsOf(section),
    })),
  );

/** Has a key for each type of event, or does not compile. */
const TYPES: Readonly<Record<WalletEvent['type'], true>> = {
  WalletCredited: true,
  CreditReversed: true,
  WalletPaidOut: true,
  WalletDebited: true,
  ConsentGranted: true,
  ChargesSettled: true,
  RefundIssued: true,
  LookupCompensated: true,
};

function postingsOf(event: Example['event']): readonly Posting[] {
  return event.type === 'LedgerEntryPosted' ? entryPostings(event.data) : postings(event);
}

describe('docs/accounting.md', () => {
  it('has an example of every event of a wallet, and of every kind of ledger entry', () => {
    expect([...new Set(examples.map(({ event }) => event.type))].sort()).toStrictEqual([...Object.keys(TYPES), 'LedgerEntryPosted'].sort());
    const kinds = examples.flatMap(({ event }) => (event.type === 'LedgerEntryPosted' ? [event.data.kind] : []));
    expect([...new Set(kinds)].sort()).toStrictEqual([...ENTRY_KINDS].sort());
  });

  it.each(examples)('shows the entry that the code makes of $event.type: $title', ({ event, entry }) => {
    const cell = (kobo: number): string => (kobo === 0 ? '' : formatNaira(kobo, ''));
    expect(postingsOf(event).map(({ account, debit_kobo, credit_kobo }) => [account, cell(debit_kobo), cell(credit_kobo)])).toStrictEqual(
      entry,
    );
  });

  it('lists exactly the accounts of its examples in the chart', () => {
    const listed = rowsOf(chart).map(([account]) => account?.replace(/\.<.*>$/, ''));
    const used = examples.flatMap(({ event }) => postingsOf(event).map(({ account }) => account.replace(/\..*$/, '')));
    expect(listed.sort()).toStrictEqual([...new Set(used)].sort());
  });
});
