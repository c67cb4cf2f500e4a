import { type VNode } from 'preact';
import { type BankPayment, type PaymentCredit, type Reconciliation, remaining } from '../../../contexts/ledger/domain/reconcile.js';
import { isReconciled } from '../../../contexts/ledger/reconciliation-view.js';
import { toNaira } from '../../../kernel/money.js';
import { pathOf } from '../../admin-api.js';
import { Field } from '../../components/form.js';
import { type Column, Facts, Table } from '../../components/table.js';
import { Code, Count, Money, Notice } from '../../components/text.js';
import { type Screen, type Visit } from '../../screen.js';
import { type BankInput, DAYS, type Reconciled } from './bank-reconciliation.js';
import { ReadForm } from './read-form.js';
import { BOOKS_PATH, BooksLinks, ModeChoice } from './trial-balance-screen.js';

export const RECONCILIATION_PATH = `${BOOKS_PATH}/reconciliation`;

interface Difference {
  readonly kind: string;
  readonly payment?: BankPayment;
  readonly credit?: PaymentCredit;
}

const COLUMNS: readonly Column<Difference>[] = [
  { head: 'Difference', cell: ({ kind }) => kind },
  { head: 'Reference', cell: ({ payment, credit }) => <Code>{(payment ?? credit)?.reference ?? ''}</Code> },
  { head: 'Line', numeric: true, cell: ({ payment }) => payment?.line },
  { head: 'Bank’s date', cell: ({ payment }) => payment?.date },
  { head: 'Bank', numeric: true, cell: ({ payment }) => payment && <Money amount={toNaira(payment.amount_kobo)} /> },
  { head: 'Credited on', cell: ({ credit }) => credit?.recorded_at.slice(0, 10) },
  { head: 'Credit', numeric: true, cell: ({ credit }) => credit && <Money amount={toNaira(remaining(credit))} /> },
  {
    head: 'Partner',
    cell: ({ credit }) => credit && <a href={`/console${pathOf`/partners/${credit.partner_id}`}`}>{credit.company_name}</a>,
  },
];

/** The form that takes a bank's payments, with what came of the last submission. */
export function reconciliationScreen(visit: Visit, input: BankInput, result?: Reconciled | string): Screen {
  const unreadable = typeof result === 'string';
  return {
    title: 'Reconciliation with the bank',
    area: 'books',
    ...(unreadable ? { status: 422 } : {}),
    body: (
      <>
        <BooksLinks />
        {unreadable ? <Notice tone="bad">{result}</Notice> : null}
        {result === undefined || unreadable ? null : <Result input={input} result={result} />}
        <h2>{result === undefined ? 'Paste the bank’s payments' : 'Try again'}</h2>
        <p>
          The console takes up to 64 KiB, which is about 500 payments. For a larger file run <code>rupa ledger reconcile</code>.
        </p>
        <ReadForm visit={{ ...visit, url: RECONCILIATION_PATH }} action={RECONCILIATION_PATH} label="Reconcile">
          <ModeChoice mode={input.mode} />
          <Field label="Column of the reference" name="reference" value={input.reference} required />
          <Field label="Column of the amount received" name="amount" value={input.amount} required />
          <Field label="Column of the date" name="date" value={input.date} required />
          <Field label="CSV with its header line" name="csv" rows={10} value={input.csv} required />
        </ReadForm>
      </>
    ),
  };
}

function Result({ input, result }: { readonly input: BankInput; readonly result: Reconciled }): VNode {
  const { found, file, from, to } = result;
  const agree = isReconciled(found);
  return (
    <>
      <Notice tone={agree ? 'good' : 'warn'}>
        {agree ? 'The payments and the credits agree.' : 'The payments and the credits differ. The table lists every difference.'}
      </Notice>
      {file.date_order && !file.date_order.known ? (
        <Notice tone="warn">No date shows whether the day or the month comes first. They were read day first.</Notice>
      ) : null}
      <Facts
        facts={[
          ['Mode', input.mode],
          ['Payments in the text', <Count value={file.payments.length} />],
          ['Lines that are no payments', <Count value={file.skipped} />],
          ['Matched by reference, amount and date', <Count value={found.matched} />],
          ['Credits that need a payment', `${from} to ${to}`],
          ['A credit may be recorded', `up to ${DAYS} days before or after the bank’s date`],
        ]}
      />
      <Table label="Differences" columns={COLUMNS} rows={differences(found)} empty="There is no difference, so nothing is left to do." />
    </>
  );
}

function differences(found: Reconciliation): readonly Difference[] {
  return [
    ...found.missing_credits.map((payment) => ({ kind: 'not credited', payment })),
    ...found.missing_payments.map((credit) => ({ kind: 'not at the bank', credit })),
    ...found.double_payments.map((payment) => ({ kind: 'paid twice', payment })),
    ...found.double_credits.map((credit) => ({ kind: 'credited twice', credit })),
    ...found.differing.map(({ payment, credit, fields }) => ({ kind: `other ${fields.join(' and ')}`, payment, credit })),
  ];
}
