import { type IQueryHandler, Query, QueryBus, QueryHandler } from '@nestjs/cqrs';
import { type Mode } from '../../../kernel/accounts.js';
import { sentenceOf, ValidationFailed } from '../../../kernel/validation-failed.js';
import { type BankFile, type ColumnMap, readBankFile, UnreadableBankFile } from './bank-file.js';
import { dayAfter, type Reconciliation } from '../domain/reconcile.js';
import { ReconcilePayments } from './reconcile-payments.query.js';

/** Days that a reconciliation over HTTP may cover, so that its memory and its response are bounded. */
export const MAX_PERIOD_DAYS = 800;

export interface BankText {
  /** A bank's file as text. */
  readonly csv: string;
  readonly columns: ColumnMap;
  readonly mode: Mode;
  /** Days by which a credit may be recorded before or after the bank's date. */
  readonly days: number;
  /** The first and the last day (yyyy-mm-dd) of the file; without them, those of its payments, widened by `days`. */
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** A reconciliation with what it compared. */
export interface BankReconciliation {
  readonly mode: Mode;
  readonly days: number;
  readonly from: string;
  readonly to: string;
  readonly file: BankFile;
  readonly found: Reconciliation;
}

/** Matches the payments of a bank's text with credits. @throws ValidationFailed if it cannot be read, or covers too long a period */
export class ReconcileBankText extends Query<BankReconciliation> {
  constructor(readonly text: BankText) {
    super();
  }
}

@QueryHandler(ReconcileBankText)
export class ReconcileBankTextHandler implements IQueryHandler<ReconcileBankText> {
  constructor(private readonly queries: QueryBus) {}

  async execute({ text }: ReconcileBankText): Promise<BankReconciliation> {
    const { mode, days } = text;
    const file = fileOf(text);
    const { from, to } = periodOf(text, file);
    const found = await this.queries.execute(new ReconcilePayments(file.payments, mode, { days, from, to }));
    return { mode, days, from, to, file, found };
  }
}

/** Returns the payments of the text. @throws ValidationFailed that names the line */
export function fileOf({ csv, columns }: Pick<BankText, 'csv' | 'columns'>): BankFile {
  try {
    const file = readBankFile(Buffer.from(csv), columns);
    if (file.payments.length > 0) return file;
  } catch (error) {
    throw error instanceof UnreadableBankFile ? new ValidationFailed({ csv: [error.message] }) : error;
  }
  throw new ValidationFailed({ csv: [`There is no payment in the column ${JSON.stringify(columns.amount)}.`] });
}

/** Returns the days within which a credit needs a payment. @throws ValidationFailed */
export function periodOf(
  { from, to, days }: Pick<BankText, 'from' | 'to' | 'days'>,
  { payments }: Pick<BankFile, 'payments'>,
): { readonly from: string; readonly to: string } {
  const dates = payments.map(({ date }) => date).sort();
  const period = { from: from ?? dayAfter(dates[0] ?? '', -days), to: to ?? dayAfter(dates.at(-1) ?? '', days) };
  if (period.from > period.to) throw new ValidationFailed({ from: [sentenceOf('from', `must not be after ${period.to}`)] });
  if (dayAfter(period.from, MAX_PERIOD_DAYS) < period.to)
    throw new ValidationFailed({
      csv: [`The payments are compared from ${period.from} to ${period.to}, and at most ${MAX_PERIOD_DAYS} days are. Send a part of them.`],
    });
  return period;
}
