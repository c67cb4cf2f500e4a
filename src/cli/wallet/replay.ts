import { csvLine } from '../../kernel/csv.js';
import { Codec } from '../../platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../platform/event-sourcing/event-store.js';
import { formatNaira } from '../../kernel/money.js';
import { entryView, managedView } from '../../contexts/wallet/entries/get-wallet-entries.query.js';
import { type ReplayedEntry, replayWallet } from '../../contexts/wallet/verifying/replay-wallet.js';
import { addFormats, formatOf, type FormatOptions, printable } from '../support/output.js';
import { writeToStdout } from '../support/write-output.js';
import { findWallet, instant } from '../support/wallet-log.js';
import { id } from '../support/values.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

const FORMATS = ['table', 'csv', 'json'] as const;
type Format = (typeof FORMATS)[number];

interface Options extends FormatOptions<Format> {
  readonly at?: string;
}

export function replayWalletEntries(command: RupaCommand, runtime: CommandRuntime): void {
  addFormats(command, FORMATS)
    .reads()
    .argument('<partner>', 'id of the partner', id)
    .option(
      '--at <time>',
      'only entries up to this time, inclusive: ISO 8601, UTC unless it has an offset; a date means its first moment',
      instant,
    )
    .action(async (partnerId: string, { at, format, json }: Options) => {
      await runtime.withApplication(async (app) => {
        const { stream } = await findWallet(app, partnerId);
        await writeToStdout(formatted[formatOf({ format, json })](replayWallet(app.get(EventStore), app.get(Codec), stream, at)));
      });
    });
}

type Pages = AsyncIterable<readonly ReplayedEntry[]>;

/** Writers of each format. They work page by page, because a wallet may not fit into memory. */
const formatted: Readonly<Record<Format, (pages: Pages) => AsyncIterable<string>>> = { table: asTable, csv: asCsv, json: asJson };

async function* asTable(pages: Pages): AsyncGenerator<string> {
  const columns = process.stdout.isTTY ? process.stdout.columns : undefined;
  const headings = { revision: 'revision', time: 'recorded at', type: 'type', amount: 'amount (NGN)', balance: 'balance (NGN)' };
  yield replayLine({ ...headings, what: 'for' }, columns);
  let [entries, balance] = [0, 0];
  for await (const page of pages) {
    yield page
      .map(({ row, event }) =>
        replayLine(
          {
            revision: String(row.revision),
            time: row.recorded_at,
            type: row.type,
            amount: formatNaira(row.amount_kobo),
            balance: formatNaira(row.balance_after_kobo),
            what: purpose(event),
          },
          columns,
        ),
      )
      .join('');
    entries += page.length;
    balance = page.at(-1)?.row.balance_after_kobo ?? balance;
  }
  yield `${entries} entries; the balance is NGN ${formatNaira(balance)}\n`;
}

function purpose({ type, data }: ReplayedEntry['event']): string {
  switch (type) {
    case 'WalletCredited':
      return printable(data.reference);
    case 'WalletDebited':
      return `lookup ${data.lookup_id} of ${data.rupa_id}`;
    case 'ConsentGranted':
      return `consent of ${data.rupa_id}`;
    case 'ChargesSettled':
      return data.charges.length === 1 ? `lookup ${data.charges[0]?.lookup_id ?? ''}` : `${data.charges.length} lookups`;
    case 'RefundIssued':
    case 'LookupCompensated':
      return `lookup ${data.lookup_id}: ${printable(data.reason)}`;
    case 'WalletPaidOut':
      return `${printable(data.reference)}: paid out, ${printable(data.reason)}`;
    case 'CreditReversed':
      return `${printable(data.reference)}: reverses ${printable(data.credit_reference)}, ${printable(data.reason)}`;
  }
}

const HEADINGS = [
  'revision',
  'recorded_at',
  'type',
  'amount',
  'balance_after',
  'lookup_id',
  'rupa_id',
  'breakdown',
  'reason',
  'reference',
  'hash',
] as const;

async function* asCsv(pages: Pages): AsyncGenerator<string> {
  yield csvLine(HEADINGS);
  for await (const page of pages) {
    const lines = page.map(({ row }) => {
      const { breakdown, ...view } = entryView(row);
      const fees =
        breakdown &&
        Object.entries(breakdown)
          .map(([key, fee]) => `${key} ${fee.toFixed(2)}`)
          .join('; ');
      return csvLine(HEADINGS.map((heading) => (heading === 'breakdown' ? fees : view[heading])));
    });
    yield lines.join('');
  }
}

/** Writes one JSON list with an entry per line, in the form of GET /admin/v1/partners/{id}/wallet/entries. */
async function* asJson(pages: Pages): AsyncGenerator<string> {
  let before = '[\n';
  for await (const page of pages) {
    for (const { row } of page) {
      yield `${before}${JSON.stringify(managedView(row))}`;
      before = ',\n';
    }
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

/** The cells of an entry, or the headings, as text. */
interface ReplayCells {
  readonly revision: string;
  readonly time: string;
  readonly type: string;
  readonly amount: string;
  readonly balance: string;
  readonly what: string;
}

/** A terminal with so many columns shows the longest usual entry, a lookup with two ids, in one line. */
const WIDE_COLUMNS = 160;
const INDENT = ' '.repeat(9);

/**
 * Formats an entry with right-aligned numbers. On a narrower terminal the columns have less space, and the last one, which may have any
 * length, is wrapped below them, so that a line has at most 80 characters up to amounts of a million million kobo.
 * @param columns of the terminal; undefined if the output goes elsewhere, where every entry stays on one line
 */
export function replayLine({ revision, time, type, amount, balance, what }: ReplayCells, columns: number | undefined): string {
  if (columns === undefined || columns >= WIDE_COLUMNS)
    return `${revision.padStart(9)}  ${time.padEnd(24)}  ${type.padEnd(17)}  ${amount.padStart(18)}  ${balance.padStart(18)}  ${what}\n`;
  const entry = `${revision.padStart(8)} ${time.padEnd(24)} ${type.padEnd(17)} ${amount.padStart(13)} ${balance.padStart(14)}\n`;
  const characters = Array.from(what);
  const width = Math.max(columns - INDENT.length, 1);
  const lines = Array.from({ length: Math.ceil(characters.length / width) }, (_, line) =>
    characters.slice(line * width, (line + 1) * width).join(''),
  );
  return entry + lines.map((line) => `${INDENT}${line}\n`).join('');
}
