import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { partnerProjection } from '../../../../projections/partner/partner.projection.js';
import { cashMovements } from '../../../../projections/wallet-entry/books.reader.js';
import { ledgerEntryProjection } from '../../../../projections/ledger-entry/ledger-entry.projection.js';
import { type PostedEntry, postedEntries } from '../../../../projections/ledger-entry/ledger-entry.reader.js';
import { walletEntryProjection } from '../../../../projections/wallet-entry/wallet-entry.projection.js';
import { DEFAULT_MODE, type Mode } from '../../../kernel/accounts.js';
import { toKobo } from '../../../kernel/money.js';
import { sentenceOf, ValidationFailed } from '../../../kernel/validation-failed.js';
import { readSnapshot } from '../../../platform/database/held-rows.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { DOCUMENT_WAIT_MS, ReadModels } from '../../../platform/projecting/read-models.js';
import { type BankRows } from '../domain/reconciling/bank-rows.js';
import { type ReconcileOptions } from '../domain/reconciling/candidates.js';
import { assertBooksWhole } from '../books/whole-books.js';
import { cashMovedBy } from '../domain/entry-postings.js';
import { dayAfter, type EntryMovement, type Movement } from '../domain/reconciling/movements.js';
import { type Reconciliation } from '../domain/reconciling/reconcile.js';
import { type BankFile } from './bank-file.js';
import { BankFileThread } from './bank-file-thread.js';
import { DEFAULT_DAYS, type ReconcileBankQueryDto } from './reconciliation.dto.js';

/** A reconciliation with what it compared. */
export interface BankReconciliation extends BankFile {
  readonly mode: Mode;
  readonly options: ReconcileOptions;
  readonly found: Reconciliation;
}

/**
 * Matches the rows of a bank's file with the movements of cash of a mode. It changes nothing.
 * @throws ValidationFailed if the file cannot be read, or does not have the columns
 * @throws ReadModelBehind, EventSetAside or RowForged, because movements would seem to be missing
 */
export class ReconcileBankFile extends Query<BankReconciliation> {
  constructor(
    readonly bytes: Uint8Array,
    readonly parameters: ReconcileBankQueryDto,
  ) {
    super();
  }
}

const READ_MODELS = [walletEntryProjection, ledgerEntryProjection, partnerProjection];

@QueryHandler(ReconcileBankFile)
export class ReconcileBankFileHandler implements IQueryHandler<ReconcileBankFile> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly readModels: ReadModels,
  ) {}

  async execute({ bytes, parameters }: ReconcileBankFile): Promise<BankReconciliation> {
    using thread = await BankFileThread.inTurn();
    const { sheet, file } = await thread.rows(bytes, parameters);
    const options = optionsOf(file, parameters);
    const mode = parameters.mode ?? DEFAULT_MODE;
    await this.readModels.waitForLog(READ_MODELS, DOCUMENT_WAIT_MS);
    await assertBooksWhole(this.pool, READ_MODELS);
    const movements = await this.movements(mode);
    return { mode, options, sheet, file, found: await thread.reconciliation(file, movements, options) };
  }

  private async movements(mode: Mode): Promise<Movement[]> {
    await using found = await readSnapshot(this.pool, async (snapshot) => ({
      ofWallets: await cashMovements(snapshot, mode),
      entries: await postedEntries(snapshot, mode),
    }));
    return [...(await Array.fromAsync(found.ofWallets)), ...entryMovements(await Array.fromAsync(found.entries))];
  }
}

/** Returns the movements of the entries outside of wallets that move cash. One that was undone, and its reversal, stand for nothing at the bank. */
function entryMovements(entries: readonly PostedEntry[]): EntryMovement[] {
  const undone = new Set(entries.map(({ of_reference }) => of_reference));
  return entries.flatMap((entry) => {
    const { kind: entry_kind, reference, date } = entry;
    const cash_kobo = cashMovedBy(entry);
    const isUndone = entry_kind === 'reversal' || undone.has(reference);
    return isUndone || cash_kobo === 0 ? [] : [{ kind: 'entry' as const, entry_kind, reference, cash_kobo, date }];
  });
}

/** @throws ValidationFailed for a period that ends before it begins */
function optionsOf(
  { rows }: Pick<BankRows, 'rows'>,
  { days = DEFAULT_DAYS, tolerance = 0, ...period }: Pick<ReconcileBankQueryDto, 'days' | 'tolerance' | 'from' | 'to'>,
): ReconcileOptions {
  const dates = rows.map(({ date }) => date).sort();
  const from = period.from ?? dayAfter(dates[0] ?? '', -days);
  const to = period.to ?? dayAfter(dates.at(-1) ?? '', days);
  if (from > to) throw new ValidationFailed({ from: [sentenceOf('from', `must not be after ${to}`)] });
  return { days, tolerance_kobo: toKobo(tolerance), from, to };
}
