import { csvLine } from '../../../kernel/csv.js';
import { toNaira } from '../../../kernel/money.js';
import { type BankRow } from '../domain/reconciling/bank-rows.js';
import { type Movement } from '../domain/reconciling/movements.js';
import { isReconciled, type Reconciliation, type Skipped } from '../domain/reconciling/reconcile.js';
import { type Difference } from '../domain/reconciling/settle.js';
import { type BankReconciliation } from './reconcile-bank-file.query.js';
import {
  type BankRowView,
  type CashMovementView,
  type ExplainedDifferenceView,
  type ReconciledTotalView,
  type ReconciliationTotalsView,
  type ReconciliationView,
} from './reconciliation.dto.js';

/** The lists of a reconciliation, those first that need attention. */
export const LISTS = [
  'not_credited',
  'different',
  'ambiguous',
  'not_in_file',
  'matched',
  'split',
  'skipped',
] as const satisfies readonly (keyof Reconciliation)[];
export type ListName = (typeof LISTS)[number];

/** One row of the file with one movement, or one of the two alone: a line of a table or of CSV. */
export interface ListedLine {
  readonly list: ListName;
  readonly row: Pick<Skipped, 'line' | 'date' | 'amount_kobo' | 'narration'> | null;
  /** Why the row is in its list, in a word or a few; empty if the list says it. */
  readonly why: string;
  readonly movement: Movement | null;
}

/** Returns every row and every movement of a list. */
export function linesOf(found: Reconciliation, list: ListName): ListedLine[] {
  switch (list) {
    case 'matched':
      return found.matched.map(({ row, movement, difference }) => ({ list, row, why: difference?.because ?? '', movement }));
    case 'split':
      return found.split.flatMap(({ rows, movement, difference }) =>
        rows.map((row) => ({ list, row, why: difference?.because ?? '', movement })),
      );
    case 'not_credited':
      return found.not_credited.map(({ row, why, movement }) => ({ list, row, why, movement }));
    case 'not_in_file':
      return found.not_in_file.map((movement) => ({ list, row: null, why: '', movement }));
    case 'different':
      return found.different.flatMap(({ rows, movement, fields }) =>
        rows.map((row) => ({ list, row, why: fields.join(' and '), movement })),
      );
    case 'ambiguous':
      return found.ambiguous.flatMap(({ row, movements, count }) => {
        const why = count > movements.length ? `${movements.length} of ${count}` : '';
        return movements.map((movement) => ({ list, row, why, movement }));
      });
    case 'skipped':
      return found.skipped.map((row) => ({ list, row, why: whyOf(row), movement: null }));
  }
}

/** Returns why a row was skipped, with the line that took it back and by what that is known. */
function whyOf({ why, counterpart, by }: Skipped): string {
  if (why !== 'reversed') return why;
  return counterpart === null ? 'reversed' : `reversed with line ${counterpart} (by ${by ?? ''})`;
}

interface Total {
  readonly lines: number;
  readonly amount_kobo: number;
}

/** Returns the number and the sum of the rows of each list and of the file. Of `not_in_file`, movements are counted. */
export function totalsOf(found: Reconciliation): Readonly<Record<ListName | 'file', Total>> {
  const sum = (amounts: readonly (number | null)[]): Total => ({
    lines: amounts.length,
    amount_kobo: amounts.reduce<number>((total, amount) => total + (amount ?? 0), 0),
  });
  const kobo = ({ amount_kobo }: BankRow): number => amount_kobo;
  const lists = {
    matched: sum(found.matched.map(({ row }) => kobo(row))),
    split: sum(found.split.flatMap(({ rows }) => rows.map(kobo))),
    not_credited: sum(found.not_credited.map(({ row }) => kobo(row))),
    different: sum(found.different.flatMap(({ rows }) => rows.map(kobo))),
    ambiguous: sum(found.ambiguous.map(({ row }) => kobo(row))),
    skipped: sum(found.skipped.map(({ amount_kobo }) => amount_kobo)),
  };
  const file = Object.values(lists).reduce((all, { lines, amount_kobo }) => ({
    lines: all.lines + lines,
    amount_kobo: all.amount_kobo + amount_kobo,
  }));
  return { file, ...lists, not_in_file: sum(found.not_in_file.map(({ cash_kobo }) => cash_kobo)) };
}

/** Returns a reconciliation as the admin interface responds with it, and as `rupa ledger reconcile --json` prints it. */
export function reconciliationView({ mode, options, sheet, file, found }: BankReconciliation): ReconciliationView {
  const { days, tolerance_kobo, from, to } = options;
  return {
    ok: isReconciled(found),
    mode,
    days,
    tolerance: toNaira(tolerance_kobo),
    from,
    to,
    sheet,
    date_order: file.date_order,
    totals: totalsView(found),
    matched: found.matched.map(({ row, movement, difference }) => ({
      row: rowView(row),
      movement: movementView(movement),
      difference: differenceView(difference),
    })),
    split: found.split.map(({ rows, movement, difference }) => ({
      rows: rows.map(rowView),
      movement: movementView(movement),
      difference: differenceView(difference),
    })),
    not_credited: found.not_credited.map(({ row, why, movement }) => ({
      row: rowView(row),
      why,
      movement: movement && movementView(movement),
    })),
    not_in_file: found.not_in_file.map(movementView),
    different: found.different.map(({ rows, movement, fields }) => ({ fields, rows: rows.map(rowView), movement: movementView(movement) })),
    ambiguous: found.ambiguous.map(({ row, movements, count }) => ({ row: rowView(row), movements: movements.map(movementView), count })),
    skipped: found.skipped.map(({ line, date, amount_kobo, narration, why, counterpart, by }) => ({
      line,
      date,
      amount: amount_kobo === null ? null : toNaira(amount_kobo),
      narration,
      why,
      counterpart,
      by,
    })),
  };
}

function totalsView(found: Reconciliation): ReconciliationTotalsView {
  const totals = totalsOf(found);
  const of = (list: ListName | 'file'): ReconciledTotalView => ({ lines: totals[list].lines, amount: toNaira(totals[list].amount_kobo) });
  return {
    file: of('file'),
    matched: of('matched'),
    split: of('split'),
    not_credited: of('not_credited'),
    not_in_file: of('not_in_file'),
    different: of('different'),
    ambiguous: of('ambiguous'),
    skipped: of('skipped'),
  };
}

function rowView({ line, date, amount_kobo, narration }: BankRow): BankRowView {
  return { line, date, amount: toNaira(amount_kobo), narration };
}

function movementView(movement: Movement): CashMovementView {
  const { kind, reference, date, cash_kobo } = movement;
  const wallet = kind === 'entry' ? { partner_id: null, company_name: null, revision: null } : movement;
  const payment = kind === 'payment' ? movement : { reversed_kobo: 0, bank_fee_kobo: 0, withheld_tax_kobo: 0 };
  return {
    kind,
    entry_kind: kind === 'entry' ? movement.entry_kind : null,
    partner_id: wallet.partner_id,
    company_name: wallet.company_name,
    revision: wallet.revision,
    reference,
    date,
    amount: toNaira(cash_kobo),
    reversed: toNaira(payment.reversed_kobo),
    bank_fee: toNaira(payment.bank_fee_kobo),
    withheld_tax: toNaira(payment.withheld_tax_kobo),
  };
}

function differenceView(difference: Difference): ExplainedDifferenceView | null {
  return difference && { amount: toNaira(difference.amount_kobo), because: difference.because };
}

const CSV_HEAD = [
  'list',
  'line',
  'date',
  'amount',
  'narration',
  'why',
  'partner',
  'company_name',
  'kind',
  'reference',
  'recorded',
  'booked',
];

/** Returns a reconciliation as CSV: one line for each row of the file with its movement, and one for each movement without a row. */
export function reconciliationCsv({ found }: BankReconciliation): string {
  const lines = LISTS.flatMap((list) => linesOf(found, list)).map(({ list, row, why, movement }) => {
    const wallet = movement?.kind === 'entry' ? null : movement;
    return csvLine([
      list,
      row?.line ?? null,
      row?.date ?? null,
      row?.amount_kobo == null ? null : { kobo: row.amount_kobo },
      row?.narration ?? null,
      why,
      wallet?.partner_id ?? null,
      wallet?.company_name ?? null,
      movement?.kind ?? null,
      movement?.reference ?? null,
      movement?.date ?? null,
      movement ? { kobo: movement.cash_kobo } : null,
    ]);
  });
  return `\uFEFF${csvLine(CSV_HEAD)}${lines.join('')}`;
}
