import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { Integer, ListOf, Naira, OneOf, Schema, Text } from '../../../http/openapi/properties.js';
import { type Unread } from '../../../http/validating/json-text.js';
import { type Mode, MODES } from '../../../kernel/accounts.js';
import { csvLine } from '../../../kernel/csv.js';
import { type RawNumber } from '../../../kernel/money.js';
import { mapped } from '../../../platform/mapped.js';
import { AS_OF_INDEX } from '../../evidence/public.js';
import { JOURNAL_GROUPS, type JournalGroup, type JournalLine } from '../domain/journal-lines.js';
import { type Journal } from './get-journal.query.js';
import { BYTE_ORDER_MARK, ReportColumns } from './report-formats.js';
import { PeriodReportQueryDto } from './report-queries.dto.js';

export class JournalQueryDto extends PeriodReportQueryDto {
  @ApiProperty({ description: 'Rows for each entry, or for each account’s net movement of a day.', default: 'entry', example: 'entry' })
  @IsOptional()
  @IsIn(JOURNAL_GROUPS)
  by?: JournalGroup;
}

@Schema('JournalLine')
export class JournalLineView {
  @Text('Day (UTC).') readonly date: string;
  @Text({ nullable: true, description: 'Index of the entry’s event in the log, null while it is not known; or the day.' })
  readonly entry: string | null;
  @Text() readonly account: string;
  @Text({ nullable: true, description: 'Nominal code of the account by ACCOUNT_CODES; null if it has none.' }) readonly code: string | null;
  @Naira() readonly debit: number | RawNumber;
  @Naira() readonly credit: number | RawNumber;
  @Text({ nullable: true, description: 'Id of the partner; null for an entry outside of wallets, and for a day.' })
  readonly partner: string | null;
  @Text({ nullable: true, description: 'Reference of the credit, reversal, payout or ledger entry, or the lookup’s id; null for a day.' })
  readonly reference: string | null;
  @Text({ nullable: true, description: 'A sentence with the reason that a person gave; null for a day.' }) readonly narration:
    string | null;
}

/** Amounts in NGN. */
@Schema('Journal', {
  mode: 'live',
  from: '2026-03-01',
  to: '2026-03-31',
  by: 'entry',
  as_of_index: 40817,
  lines: [
    {
      date: '2026-03-02',
      entry: '311',
      account: 'cash_received',
      code: '1200',
      debit: 50000,
      credit: 0,
      partner: '0f9a3c1e-52a4-4f6e-8d0e-2f0f7c3b9a11',
      reference: 'transfer-1',
      narration: 'Payment received',
    },
    {
      date: '2026-03-02',
      entry: '311',
      account: 'partner_balances',
      code: '2100',
      debit: 0,
      credit: 50000,
      partner: '0f9a3c1e-52a4-4f6e-8d0e-2f0f7c3b9a11',
      reference: 'transfer-1',
      narration: 'Payment received',
    },
  ],
})
export class JournalView {
  @OneOf(MODES) readonly mode: Mode;
  @Text({ nullable: true, description: 'First day of the period (UTC); null for the beginning of the books.' })
  readonly from: string | null;
  @Text('Last day of the period (UTC).') readonly to: string;
  @OneOf(JOURNAL_GROUPS) readonly by: JournalGroup;
  @Integer(AS_OF_INDEX) readonly as_of_index: number | null;
  @ListOf(JournalLineView) readonly lines: readonly JournalLineView[];
}

export function journalColumns(codes: Journal['codes']): ReportColumns<JournalLine, JournalLineView> {
  return new ReportColumns<JournalLine, JournalLineView>({
    date: ({ date }) => date,
    entry: ({ entry }) => (entry === null ? null : String(entry)),
    account: ({ account }) => account,
    code: ({ account }) => codes.get(account) ?? null,
    debit: ({ debit_kobo: kobo }) => ({ kobo }),
    credit: ({ credit_kobo: kobo }) => ({ kobo }),
    partner: ({ partner }) => partner,
    reference: ({ reference }) => reference,
    narration: ({ narration }) => narration,
  });
}

/** Returns a journal as the API shows it, whose lines are to be read once. */
export function journalView({ mode, from, to, by, as_of_index, codes, lines }: Journal): Unread<JournalView> {
  const columns = journalColumns(codes);
  return { mode, from, to, by, as_of_index, lines: mapped(lines, (line) => columns.view(line)) };
}

/** Yields the lines of a journal as CSV. */
export async function* journalCsv({ codes, lines }: Journal): AsyncGenerator<string> {
  const columns = journalColumns(codes);
  yield `${BYTE_ORDER_MARK}${csvLine(columns.names)}`;
  for await (const line of lines) yield csvLine(columns.cellsOf(line));
}
