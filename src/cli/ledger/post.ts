import { CommandBus } from '@nestjs/cqrs';
import { Argument, Option } from 'commander';
import { ENTRY_KINDS, type EntryKind } from '../../contexts/accounting/domain/events.js';
import { LedgerRejection } from '../../contexts/accounting/domain/ledger.js';
import { LedgerEntryDto, ledgerRejectionResponses, type LedgerEntryView } from '../../contexts/accounting/posting/ledger-entries.dto.js';
import { PostLedgerEntry } from '../../contexts/accounting/posting/post-ledger-entry.command.js';
import { type Mode, MODES } from '../../kernel/accounts.js';
import { formatNaira, toKobo, toNaira } from '../../kernel/money.js';
import { validateBody } from '../../http/validating/validation.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { printLine } from '../support/output.js';
import { amountInKobo, day } from '../support/values.js';
import { unlessWaiting } from '../support/waits-for-approval.js';

interface Options {
  readonly mode: Mode;
  readonly account?: string;
  readonly of?: string;
  readonly reference: string;
  readonly date?: string;
  readonly reason: string;
  readonly json?: true;
}

export function postEntry(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .addArgument(new Argument('<kind>', 'kind of the entry, which decides the accounts').choices(ENTRY_KINDS))
    .argument('[amount]', 'amount in NGN above 0, with at most two decimals; a reversal needs none', amountInKobo)
    .requiredOption('--reference <text>', 'idempotency key; the same entry again posts nothing')
    .requiredOption('--reason <text>', 'reason; kept with the entry')
    .option('--account <name>', 'provider of a passthrough_settlement, such as bvn, or account of an opening_balance')
    .option('--of <reference>', 'reference of the entry that a reversal undoes')
    .option('--date <day>', 'day from whose first moment the entry counts, UTC (default: today)', day)
    .addOption(new Option('--mode <mode>', 'the books that the entry belongs to').choices(MODES).default('live'))
    .option('--json', 'print the entry as JSON')
    .action(async (kind: EntryKind, kobo: number | undefined, { json, ...options }: Options) => {
      const amount = kobo === undefined ? {} : { amount: toNaira(kobo) };
      const entry = validateBody(LedgerEntryDto, { ...options, kind, ...amount });
      const posted = await runtime.withApplication((app) =>
        unlessWaiting(app.get(CommandBus).execute(new PostLedgerEntry(entry, runtime.actor)).catch(withAmount)),
      );
      if (!posted) return;
      printLine(json ? JSON.stringify(posted) : sentenceOf(posted));
    });
}

function sentenceOf({ created, kind, amount, account, reference, date, mode }: LedgerEntryView): string {
  const what = account === null ? kind : `${kind} of ${account}`;
  const books = mode === 'sandbox' ? ' in the books of the sandbox' : '';
  return `${created ? 'posted' : 'already posted'} ${what}, NGN ${formatNaira(toKobo(amount))}, dated ${date}, as ${reference}${books}`;
}

interface Facts {
  readonly available_kobo?: bigint;
  readonly reversible_kobo?: number;
  /** The first open day (UTC). */
  readonly open_from?: string;
}

/** Adds the amount, or the day, to the sentence of a refused entry, which HTTP states in `data`. */
function withAmount(error: unknown): never {
  if (!(error instanceof LedgerRejection)) throw error;
  const { available_kobo, reversible_kobo, open_from } = error.facts as Facts;
  const { message = '' } = ledgerRejectionResponses[error.code];
  if (available_kobo !== undefined) throw new Error(`${message} It holds NGN ${formatNaira(available_kobo)}.`, { cause: error });
  if (reversible_kobo) throw new Error(`${message} Its amount is NGN ${formatNaira(reversible_kobo)}.`, { cause: error });
  if (open_from !== undefined) throw new Error(`${message} The first open day is ${open_from}.`, { cause: error });
  throw error;
}
