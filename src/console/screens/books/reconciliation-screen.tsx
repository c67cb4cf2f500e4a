import { type VNode } from 'preact';
import {
  type BankPaymentView,
  type PaymentCreditView,
  type ReconciliationView,
} from '../../../contexts/accounting/reconciling/reconciliation.dto.js';
import { toKobo, toNaira } from '../../../kernel/money.js';
import { pathOf } from '../../admin-api.js';
import { Field } from '../../components/form.js';
import { type Column, Facts, Table } from '../../components/table.js';
import { Code, Count, Money, Notice } from '../../components/text.js';
import { type Screen, type Visit } from '../../screen.js';
import { type BankInput } from './bank-reconciliation.js';
import { ReadForm } from './read-form.js';
import { BOOKS_PATH, BooksLinks, ModeChoice } from './trial-balance-screen.js';

export const RECONCILIATION_PATH = `${BOOKS_PATH}/reconciliation`;

interface Difference {
  readonly kind: string;
  readonly payment?: BankPaymentView;
  readonly credit?: PaymentCreditView;
}

const COLUMNS: readonly Column<Difference>[] = [
  { head: 'Difference', cell: ({ kind }) => kind },
  { head: 'Reference', cell: ({ payment, credit }) => <Code>{(payment ?? credit)?.reference ?? ''}</Code> },
  { head: 'Line', numeric: true, cell: ({ payment }) => payment?.line },
  { head: 'Bank’s date', cell: ({ payment }) => payment?.date },
  { head: 'Bank', numeric: true, cell: ({ payment }) => payment && <Money amount={payment.amount} /> },
  { head: 'Credited on', cell: ({ credit }) => credit?.recorded_at.slice(0, 10) },
  { head: 'Credit', numeric: true, cell: ({ credit }) => credit && <Money amount={remaining(credit)} /> },
  {
    head: 'Partner',
    cell: ({ credit }) => credit && <a href={`/console${pathOf`/partners/${credit.partner_id}`}`}>{credit.company_name}</a>,
  },
];

/** The form that takes a bank's payments, with what came of the last submission. */
export function reconciliationScreen(visit: Visit, input: BankInput, result?: ReconciliationView | string): Screen {
  const unreadable = typeof result === 'string';
  return {
    title: 'Reconciliation with the bank',
    area: 'books',
    ...(unreadable ? { status: 422 } : {}),
    body: (
      <>
        <BooksLinks />
        {unreadable ? <Notice tone="bad">{result}</Notice> : null}
        {result === undefined || unreadable ? null : <Result result={result} />}
        <h2>{result === undefined ? 'Paste the bank’s payments' : 'Try again'}</h2>
        <p>
          The console takes up to 60,000 characters, which is about 500 payments. For a larger file run <code>rupa ledger reconcile</code>.
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

function Result({ result }: { readonly result: ReconciliationView }): VNode {
  const { ok, mode, days, from, to, payments, skipped, date_order, matched } = result;
  const listed = differences(result);
  return (
    <>
      <Notice tone={ok ? 'good' : 'warn'}>
        {ok ? 'The payments and the credits agree.' : sentenceAbout(listed.length, result.differences)}
      </Notice>
      {date_order && !date_order.known ? (
        <Notice tone="warn">No date shows whether the day or the month comes first. They were read day first.</Notice>
      ) : null}
      <Facts
        facts={[
          ['Mode', mode],
          ['Payments in the text', <Count value={payments} />],
          ['Lines that are no payments', <Count value={skipped} />],
          ['Matched by reference, amount and date', <Count value={matched} />],
          ['Credits that need a payment', `${from} to ${to}`],
          ['A credit may be recorded', `up to ${days} days before or after the bank’s date`],
        ]}
      />
      <Table label="Differences" columns={COLUMNS} rows={listed} empty="There is no difference, so nothing is left to do." />
    </>
  );
}

function sentenceAbout(listed: number, found: number): string {
  return listed < found
    ? `The payments and the credits differ ${found} times. The table lists ${listed} of the differences. Correct these, or send a shorter period.`
    : 'The payments and the credits differ. The table lists every difference.';
}

/** Returns what is left of a credit, in NGN. */
function remaining({ amount, reversed }: PaymentCreditView): number {
  return toNaira(toKobo(amount) - toKobo(reversed));
}

function differences(found: ReconciliationView): readonly Difference[] {
  return [
    ...found.missing_credits.map((payment) => ({ kind: 'not credited', payment })),
    ...found.missing_payments.map((credit) => ({ kind: 'not at the bank', credit })),
    ...found.double_payments.map((payment) => ({ kind: 'paid twice', payment })),
    ...found.double_credits.map((credit) => ({ kind: 'credited twice', credit })),
    ...found.differing.map(({ payment, credit, fields }) => ({ kind: `other ${fields.join(' and ')}`, payment, credit })),
  ];
}
