import { type VNode } from 'preact';
import {
  type BankRowView,
  type CashMovementView,
  type ReconciliationTotalsView,
  type ReconciliationView,
} from '../../../contexts/accounting/reconciling/reconciliation.dto.js';
import { pathOf } from '../../admin-api.js';
import { type Column, Facts, Table } from '../../components/table.js';
import { Code, Count, Money, Notice } from '../../components/text.js';

/** Lines that each table shows. The command prints all of them. */
const SHOWN_LINES = 500;

interface Line {
  readonly list: string;
  readonly row?: Pick<BankRowView, 'line' | 'narration'> & { readonly date: string | null; readonly amount: number | null };
  readonly movement?: CashMovementView | null;
}

const COLUMNS: readonly Column<Line>[] = [
  { head: 'List', cell: ({ list }) => list },
  { head: 'Line', numeric: true, cell: ({ row }) => row?.line },
  { head: 'Bank’s date', cell: ({ row }) => <span class="unbroken">{row?.date}</span> },
  { head: 'Bank', numeric: true, cell: ({ row }) => row?.amount != null && <Money amount={row.amount} /> },
  { head: 'Narration', cell: ({ row }) => row && <span class="prose">{row.narration}</span> },
  { head: 'Reference', cell: ({ movement }) => movement && <Code>{movement.reference}</Code> },
  { head: 'Booked on', cell: ({ movement }) => <span class="unbroken">{movement?.date}</span> },
  { head: 'Booked', numeric: true, cell: ({ movement }) => movement && <Money amount={movement.amount} /> },
  {
    head: 'Partner',
    cell: ({ movement }) =>
      movement?.partner_id == null ? (
        movement?.entry_kind
      ) : (
        <a href={`/console${pathOf`/partners/${movement.partner_id}`}`}>{movement.company_name}</a>
      ),
  },
];

const TOTALS: readonly (readonly [list: keyof ReconciliationTotalsView, name: string])[] = [
  ['matched', 'Matched'],
  ['split', 'Split payments'],
  ['not_credited', 'Not credited'],
  ['different', 'Different'],
  ['ambiguous', 'Ambiguous'],
  ['skipped', 'Skipped'],
  ['file', 'The whole file'],
  ['not_in_file', 'In the books, not in the file'],
];

/** Shows the totals of a reconciliation, the rows that need attention, and all others. */
export function resultPart(found: ReconciliationView): VNode {
  const { ok, mode, days, from, to, sheet, date_order, totals } = found;
  return (
    <>
      <h2>Result</h2>
      <Notice tone={ok ? 'good' : 'warn'}>
        {ok ? 'The file and the books agree.' : 'The file and the books differ. What needs attention is listed below the totals.'}
      </Notice>
      {date_order && !date_order.known ? (
        <Notice tone="warn">No date shows whether the day or the month comes first. They were read day first.</Notice>
      ) : null}
      <Facts
        facts={[
          ['Mode', mode],
          ['Movements that need a row (UTC)', `${from} to ${to}`],
          ['Days between bank and books', <Count value={days} />],
          ...(sheet === null ? [] : [['Sheet', sheet] as const]),
        ]}
      />
      <Table
        label="Totals"
        columns={[
          { head: 'List', cell: ([, name]) => name },
          { head: 'Rows', numeric: true, cell: ([list]) => <Count value={totals[list].lines} /> },
          { head: 'NGN', numeric: true, cell: ([list]) => <Money amount={totals[list].amount} /> },
        ]}
        rows={TOTALS}
        empty=""
      />
      <h2>Needs attention</h2>
      <Lines label="Needs attention" lines={attention(found)} empty="Nothing: every row and every movement is explained." />
      <details>
        <summary>Matched rows and split payments</summary>
        <Lines label="Matched" lines={settled(found)} empty="No row is matched." />
      </details>
      <details>
        <summary>Skipped rows</summary>
        <Lines label="Skipped" lines={found.skipped.map((row) => ({ list: whyOf(row), row }))} empty="No row is skipped." />
      </details>
    </>
  );
}

function Lines({ label, lines, empty }: { readonly label: string; readonly lines: readonly Line[]; readonly empty: string }): VNode {
  return (
    <>
      {lines.length > SHOWN_LINES ? (
        <p>
          The table shows {SHOWN_LINES} of {lines.length} lines. <code>rupa ledger reconcile --format csv</code> prints all.
        </p>
      ) : null}
      <Table label={label} columns={COLUMNS} rows={lines.slice(0, SHOWN_LINES)} empty={empty} />
    </>
  );
}

function attention(found: ReconciliationView): readonly Line[] {
  const byAmount = found.skipped.filter(({ by }) => by === 'amount');
  return [
    ...found.not_credited.map(({ row, why, movement }) => ({ list: why === 'paid_twice' ? 'paid twice' : 'not credited', row, movement })),
    ...found.different.flatMap(({ rows, fields, movement }) =>
      rows.map((row) => ({ list: `other ${fields.join(' and ')}`, row, movement })),
    ),
    ...found.ambiguous.flatMap(({ row, movements, count }) => {
      const list = count > movements.length ? `ambiguous, ${movements.length} of ${count}` : 'ambiguous';
      return movements.map((movement) => ({ list, row, movement }));
    }),
    ...found.not_in_file.map((movement) => ({ list: 'not in the file', movement })),
    ...byAmount.map((row) => ({ list: whyOf(row), row })),
  ];
}

function settled({ matched, split }: ReconciliationView): readonly Line[] {
  return [
    ...matched.map(({ row, movement, difference }) => ({
      list: difference ? `matched: ${wordsOf(difference.because)}` : 'matched',
      row,
      movement,
    })),
    ...split.flatMap(({ rows, movement }) => rows.map((row) => ({ list: 'split payment', row, movement }))),
  ];
}

function whyOf({ why, counterpart, by }: ReconciliationView['skipped'][number]): string {
  if (why !== 'reversed' || counterpart === null) return wordsOf(why);
  return `reversed with line ${counterpart}${by === 'amount' ? ', by amount alone' : ''}`;
}

function wordsOf(name: string): string {
  return name.replaceAll('_', ' ');
}
