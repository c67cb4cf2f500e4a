import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { postings } from '../../src/contexts/accounting/domain/postings.js';
import { type WalletEvent } from '../../src/contexts/wallet/domain/events.js';
import { formatNaira } from '../../src/kernel/money.js';

interface Example {
  readonly title: string;
  readonly event: WalletEvent;
  /** Account, debit and credit as the page shows them; an empty text for 0. */
  readonly entry: readonly string[][];
}

const page = readFileSync('docs/accounting.md', 'utf8');
const [, chart = '', entries = ''] = /## Chart of accounts\n([^]*?)\n## An entry for every event\n([^]*?)\n## /.exec(page) ?? [];

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
  .flatMap((section) =>
    [...section.matchAll(/```json\n([^]*?)```/g)].map(([, json = '']) => ({
      title: section.slice(0, section.indexOf('\n')),
      event: JSON.parse(json) as WalletEvent,
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

describe('docs/accounting.md', () => {
  it('has an example of every event of a wallet', () => {
    expect([...new Set(examples.map(({ event }) => event.type))].sort()).toStrictEqual(Object.keys(TYPES).sort());
  });

  it.each(examples)('shows the entry that the code makes of $event.type: $title', ({ event, entry }) => {
    const cell = (kobo: number): string => (kobo === 0 ? '' : formatNaira(kobo, ''));
    expect(postings(event).map(({ account, debit_kobo, credit_kobo }) => [account, cell(debit_kobo), cell(credit_kobo)])).toStrictEqual(
      entry,
    );
  });

  it('lists exactly the accounts of its examples in the chart', () => {
    const listed = rowsOf(chart).map(([account]) => account?.replace(/\.<.*>$/, ''));
    const used = examples.flatMap(({ event }) => postings(event).map(({ account }) => account.replace(/\..*$/, '')));
    expect(listed.sort()).toStrictEqual([...new Set(used)].sort());
  });
});
