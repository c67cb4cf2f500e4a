import { type VNode } from 'preact';
import { type AccountView, type TrialBalanceView } from '../../../contexts/accounting/books/ledger.dto.js';
import { Choice, Field, Filters } from '../../components/form.js';
import { type Column, Facts, Table } from '../../components/table.js';
import { Badge, Code, Money, Notice, Time } from '../../components/text.js';
import { type Screen, type Visit } from '../../screen.js';
import { ReadForm } from './read-form.js';

export const BOOKS_PATH = '/console/books';

/** A line of the trial balance: an account, or the totals. */
interface Line {
  readonly account: string | null;
  readonly debit: AccountView['debit'];
  readonly credit: AccountView['credit'];
  readonly balance: AccountView['balance'];
}

const KINDS: readonly (readonly [start: string, kind: string])[] = [
  ['cash_received', 'asset'],
  ['wht_receivable', 'asset'],
  ['partner_balances', 'liability'],
  ['passthrough_payable.', 'liability'],
  ['revenue.', 'income'],
  ['refunds', 'income, contra'],
  ['goodwill_expense', 'expense'],
  ['correction_expense', 'expense'],
  ['bank_charges', 'expense'],
];

const COLUMNS: readonly Column<Line>[] = [
  {
    head: 'Account',
    cell: ({ account }) =>
      account === null ? (
        <strong>Total</strong>
      ) : (
        <span class="unbroken">
          <Code>{account}</Code>
        </span>
      ),
  },
  { head: 'Kind', cell: ({ account }) => KINDS.find(([start]) => account?.startsWith(start))?.[1] ?? '' },
  { head: 'Debit', numeric: true, cell: ({ debit }) => <Naira amount={debit} /> },
  { head: 'Credit', numeric: true, cell: ({ credit }) => <Naira amount={credit} /> },
  { head: 'Balance', numeric: true, cell: ({ balance }) => <Naira amount={balance} /> },
];

/** The trial balance of one mode at a time, and the way to statements, checkpoints and the reconciliation with the bank. */
export function trialBalanceScreen(visit: Visit, books: TrialBalanceView): Screen {
  const { accounts, total_debit: debit, total_credit: credit, difference: balance } = books;
  const lines: readonly Line[] = accounts.length === 0 ? [] : [...accounts, { account: null, debit, credit, balance }];
  return {
    title: 'Books',
    area: 'books',
    body: (
      <>
        <BooksLinks />
        <Filters action={BOOKS_PATH}>
          <ModeChoice mode={books.mode} />
          <Field label="At the end of (UTC)" name="at" type="date" value={visit.query.at?.slice(0, 10)} />
        </Filters>
        <Facts
          facts={[
            ['Counted until (UTC)', <Time at={books.at} />],
            ['Debits and credits', <Badge tone={books.balanced ? 'good' : 'bad'}>{books.balanced ? 'balanced' : 'not balanced'}</Badge>],
          ]}
        />
        {books.balanced ? null : (
          <Notice tone="bad">
            Debits and credits differ by <Naira amount={balance} />, which is an error in the books. Run the wallet audit on the page
            Verify.
          </Notice>
        )}
        <Table label="Trial balance" columns={COLUMNS} rows={lines} empty={emptySentence(books)} />
        <p class="soft">
          A balance is the debits minus the credits: positive for assets and expenses, negative for liabilities and income.
        </p>
        <h2>Statement of a partner</h2>
        <ReadForm visit={visit} action={`${BOOKS_PATH}/statement`} label="Show the statement">
          <Field label="Partner id" name="partner_id" required />
          <Field label="Month" name="month" type="month" required placeholder="2026-03" pattern="\d{4}-\d{2}" />
        </ReadForm>
      </>
    ),
  };
}

/** Links between the pages of the books. */
export function BooksLinks(): VNode {
  return (
    <p class="pages">
      <a href={BOOKS_PATH}>Trial balance</a>
      <a href={`${BOOKS_PATH}/checkpoints`}>Checkpoints</a>
      <a href={`${BOOKS_PATH}/reconciliation`}>Reconciliation</a>
    </p>
  );
}

/** A choice between live and sandbox money, which never mix. */
export function ModeChoice({ mode }: { readonly mode: string }): VNode {
  return (
    <Choice
      label="Mode"
      name="mode"
      value={mode}
      options={[
        ['live', 'live'],
        ['sandbox', 'sandbox'],
      ]}
    />
  );
}

function Naira({ amount }: { readonly amount: AccountView['balance'] }): VNode {
  return <Money amount={Number(amount)} />;
}

function emptySentence({ mode }: TrialBalanceView): string {
  const other = mode === 'live' ? 'sandbox' : 'live';
  return `No ${mode} wallet had an entry by then. Choose a later day or the mode ${other}, or credit a partner’s wallet.`;
}
