import { type VNode } from 'preact';
import { type AccountView, type TrialBalanceView } from '../../../contexts/accounting/books/ledger.dto.js';
import { type PeriodView } from '../../../contexts/accounting/closing/periods.dto.js';
import { ActForm, Choice, Field, Filters } from '../../components/form.js';
import { type Column, Facts, Table } from '../../components/table.js';
import { Badge, Code, Money, Notice, Time } from '../../components/text.js';
import { PARTNER_FIELD_MODULE, PartnerField, type SuggestedPartner } from '../../components/partner-field.js';
import { type Screen, type Visit } from '../../screen.js';

export const BOOKS_PATH = '/console/books';

/** A line of the trial balance: an account, or the totals. */
interface Line extends Omit<AccountView, 'account' | 'balance'> {
  readonly account: string | null;
}

const COLUMNS: readonly Column<Line>[] = [
  {
    head: 'Account',
    leads: true,
    cell: ({ account }) =>
      account === null ? (
        <strong>Total</strong>
      ) : (
        <span class="unbroken">
          <Code>{account}</Code>
        </span>
      ),
  },
  { head: 'Kind', cell: ({ kind }) => kind ?? '' },
  { head: 'Opening', numeric: true, cell: ({ opening }) => <Naira amount={opening} /> },
  { head: 'Debit', numeric: true, cell: ({ debit }) => <Naira amount={debit} /> },
  { head: 'Credit', numeric: true, cell: ({ credit }) => <Naira amount={credit} /> },
  { head: 'Closing', numeric: true, leads: true, cell: ({ closing }) => <Naira amount={closing} /> },
];

/**
 * The trial balance of one mode in a period, and the way to statements, checkpoints and the reconciliation with the bank.
 * @param month whether the month that the period is was closed
 * @param partners what the field for a partner suggests
 */
export function trialBalanceScreen(
  visit: Visit,
  books: TrialBalanceView,
  month: PeriodView['status'] | undefined,
  partners: readonly SuggestedPartner[],
): Screen {
  const { accounts, total_opening: opening, total_debit: debit, total_credit: credit, total_closing: closing } = books;
  const lines: readonly Line[] = accounts.length === 0 ? [] : [...accounts, { account: null, kind: null, opening, debit, credit, closing }];
  return {
    title: 'Books',
    area: 'books',
    modules: [PARTNER_FIELD_MODULE],
    body: (
      <>
        <BooksLinks />
        <Filters action={BOOKS_PATH}>
          <ModeChoice mode={books.mode} />
          <Field label="From (UTC)" name="from" type="date" value={visit.query.from} />
          <Field label="To (UTC)" name="to" type="date" value={visit.query.to} />
        </Filters>
        <Facts
          facts={[
            ['Mode', books.mode],
            ['Period (UTC)', books.from === null ? 'from the beginning of the books' : `from ${books.from}`],
            ['Counted until (UTC)', <Time at={books.at} />],
            ...(month === undefined ? [] : [['Month', <Badge tone={month === 'closed' ? 'good' : 'warn'}>{month}</Badge>] as const]),
            ['Debits and credits', <Badge tone={books.balanced ? 'good' : 'bad'}>{books.balanced ? 'balanced' : 'not balanced'}</Badge>],
          ]}
        />
        {books.balanced ? null : (
          <Notice tone="bad">
            Debits and credits differ by <Naira amount={closing} />, which is an error in the books. Run the wallet audit on the page
            Verify.
          </Notice>
        )}
        <Table label="Trial balance" columns={COLUMNS} rows={lines} empty={emptySentence(books)} />
        <p class="soft">
          A balance, opening or closing, is the debits minus the credits: positive for assets and expenses, negative for liabilities, income
          and equity.
        </p>
        <h2>Statement of a partner</h2>
        <ActForm visit={visit} action={`${BOOKS_PATH}/statement`} label="Show the statement" changesNothing>
          <PartnerField name="partner_id" required partners={partners} />
          <Field label="Month" name="month" type="month" required placeholder="2026-03" pattern="\d{4}-\d{2}" />
        </ActForm>
      </>
    ),
  };
}

/** Links between the pages of the books. */
export function BooksLinks(): VNode {
  return (
    <p class="pages">
      <a href={BOOKS_PATH}>Trial balance</a>
      <a href={`${BOOKS_PATH}/entries`}>Ledger entry</a>
      <a href={`${BOOKS_PATH}/months`}>Months</a>
      <a href={`${BOOKS_PATH}/revenue`}>Revenue</a>
      <a href={`${BOOKS_PATH}/prepaid`}>Prepaid money</a>
      <a href={`${BOOKS_PATH}/journal`}>Journal</a>
      <a href={`${BOOKS_PATH}/statements`}>Statement runs</a>
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
  return `The ${mode} books had no entry by then. Choose a later period or the mode ${other}, or credit a partner’s wallet.`;
}
