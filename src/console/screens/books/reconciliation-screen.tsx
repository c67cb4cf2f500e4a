import { type VNode } from 'preact';
import {
  type BankColumns,
  type ColumnField,
  guessColumns,
  likelyHeader,
  type Table as BankTable,
} from '../../../contexts/accounting/domain/reconciling/bank-columns.js';
import { Field } from '../../components/form.js';
import { Table } from '../../components/table.js';
import { Notice } from '../../components/text.js';
import { type Screen, type Visit } from '../../screen.js';
import { BOOKS_PATH, BooksLinks, ModeChoice } from './trial-balance-screen.js';

/** Rows below the header that are shown, so that a person sees whether the columns are the right ones. */
const SHOWN_ROWS = 6;
const MAX_CHARACTERS = 80;

const FIELD_LABELS: Readonly<Record<ColumnField, string>> = {
  date: 'Column of the date',
  reference: 'Column of the narration or reference',
  credit: 'Column of money in',
  debit: 'Column of money out',
  amount: 'Or one column of signed amounts',
};

const ASKED = ['date', 'reference', 'credit', 'debit', 'amount'] as const satisfies readonly ColumnField[];

/** The form that takes a bank's file. Its script sends the file twice: for the columns, and for the result. */
export function reconciliationScreen({ person, query }: Visit): Screen {
  return {
    title: 'Reconciliation with the bank',
    area: 'books',
    modules: ['reconcile-page'],
    body: (
      <>
        <BooksLinks />
        <p>
          Choose the bank’s file: CSV or Excel (.xlsx), up to 8 MiB. It is compared with the payments, payouts and entries of the books, and
          nothing is changed or kept. <code>rupa ledger reconcile</code> does the same.
        </p>
        <form class="act" data-reconcile={`${BOOKS_PATH}/reconciliation`} data-csrf={person.csrf}>
          <div class="field">
            <label>
              <span>The bank’s file</span>
              <input type="file" name="file" accept=".csv,.txt,.xlsx,text/csv,text/plain" required />
            </label>
          </div>
          <div data-reconcile-columns role="status" aria-live="polite" />
          <ModeChoice mode={query.mode ?? 'live'} />
          <Field
            label="From (UTC)"
            name="from"
            type="date"
            hint="Without days, the file’s first and last date count, widened by the days below."
          />
          <Field label="To (UTC)" name="to" type="date" />
          <Field label="Days between bank and books" name="days" placeholder="3" pattern="\d{1,3}" />
          <Field label="Tolerance in NGN" name="tolerance" placeholder="0" pattern="\d+(\.\d{1,2})?" />
          <button disabled>Reconcile</button>
        </form>
        <div data-reconcile-result role="status" aria-live="polite" />
      </>
    ),
  };
}

/** The first rows of a file, with its columns as they are guessed. The script puts the columns that were chosen last in their place. */
export function columnsPart(tables: readonly BankTable[]): VNode {
  const known = tables.flatMap(({ rows }) => {
    const header = likelyHeader(rows);
    return header ? [{ rows, header }] : [];
  });
  const [best] = known.toSorted((one, other) => other.header.score - one.header.score);
  if (!best) return <Notice tone="bad">No row of the file looks like the names of columns. Send a table as CSV or XLSX.</Notice>;
  const { rows, header } = best;
  const guessed = guessColumns(rows, header);
  const names = [...new Set(header.names)];
  const heads = rows[header.at]?.cells ?? [];
  const below = rows.slice(header.at + 1, header.at + 1 + SHOWN_ROWS);
  const shown = heads.flatMap((head, column) =>
    head.trim() === '' ? [] : [{ head, cell: ({ cells }: (typeof below)[number]) => cut(cells[column]) }],
  );
  return (
    <fieldset data-names={JSON.stringify(names)}>
      <legend>Columns of the file</legend>
      <p class="soft">These are the first rows below the names in row {rows[header.at]?.line}. Check the columns that were guessed.</p>
      <Table label="First rows of the file" columns={shown} rows={below} empty="There is no row below the names." />
      {ASKED.map((field) => (
        <ColumnChoice field={field} names={names} chosen={guessed[field]} />
      ))}
    </fieldset>
  );
}

interface ColumnChoiceProps {
  readonly field: keyof BankColumns;
  readonly names: readonly string[];
  readonly chosen: string | undefined;
}

function ColumnChoice({ field, names, chosen }: ColumnChoiceProps): VNode {
  return (
    <label class="field">
      <span>{FIELD_LABELS[field]}</span>
      <select name={field} required={field === 'date' || field === 'reference'}>
        <option value="">none</option>
        {names.map((name) => (
          <option value={name} selected={name === chosen}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function cut(text = ''): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}
