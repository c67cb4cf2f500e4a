import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { type RejectionResponses } from '../../../http/errors/error-responses.js';
import { type DocumentedError, rejection } from '../../../http/openapi/errors.js';
import {
  Count,
  Decimal,
  Flag,
  Integer,
  ListOf,
  Naira,
  OneOf,
  PathParameter,
  Schema,
  Text,
  Time,
} from '../../../http/openapi/properties.js';
import { Input } from '../../../http/validating/dto.js';
import { DEFAULT_MODE, type Mode, MODES } from '../../../kernel/accounts.js';
import { type RawNumber } from '../../../kernel/money.js';
import { ACCOUNT_KINDS, type AccountKind } from '../domain/chart-of-accounts.js';
import { type PeriodRejectionCode } from '../domain/closing.js';
import { MONTH_PATTERN } from '../domain/month.js';

@Schema('ClosePeriodRequest', { mode: 'live' })
export class ClosePeriodDto extends Input {
  @ApiProperty({ description: 'The books whose month is closed.', default: DEFAULT_MODE })
  @IsOptional()
  @IsIn(MODES)
  mode?: Mode | null;
}

@Schema('ClosedAccount')
export class ClosedAccountView {
  @Text('The account, as in the trial balance.') readonly account: string;
  @OneOf(ACCOUNT_KINDS, { nullable: true, description: 'Null for an account that only a later release posts to.' })
  readonly kind: AccountKind | null;
  @Decimal('NGN. The balance before the month: debits minus credits.') readonly opening: number | RawNumber;
  @Naira() readonly debit: number | RawNumber;
  @Naira() readonly credit: number | RawNumber;
  @Decimal('NGN. The balance at the end of the month.') readonly closing: number | RawNumber;
}

const ENTRIES = 'Number of the entries of the month’s journal.';
const INDEX =
  'Index of the last event of the log that the totals were computed from, as in the evidence file. Null if it was not known, for example shortly after the log was moved to another event store.';

const CLOSED = {
  period: '2026-03',
  mode: 'live',
  closed_at: '2026-04-01T08:00:00.000Z',
  closed_by: 'admin:amina',
  accounts: [
    { account: 'cash_received', kind: 'asset', opening: 0, debit: 50000, credit: 0, closing: 50000 },
    { account: 'partner_balances', kind: 'liability', opening: 0, debit: 0, credit: 50000, closing: -50000 },
  ],
  entries: 1,
  index: 40817,
};

/** A month that was closed. Amounts in NGN. */
@Schema('ClosedPeriod', { ...CLOSED, created: true })
export class ClosedPeriodView {
  @Text('Month (UTC).') readonly period: string;
  @OneOf(MODES) readonly mode: Mode;
  @Time() readonly closed_at: string;
  @Text('Who closed it.') readonly closed_by: string;
  @ListOf(ClosedAccountView, { description: 'The accounts with a balance or a movement, by name.' })
  readonly accounts: readonly ClosedAccountView[];
  @Count(ENTRIES) readonly entries: number;
  @Integer({ minimum: 0, nullable: true, description: INDEX }) readonly index: number | null;
  @Flag('False if the month was closed before.') readonly created: boolean;
}

export const PERIOD_STATUSES = ['open', 'closed'] as const;

/** A month of the books. Amounts in NGN. */
@Schema('Period')
export class PeriodView {
  @Text('Month (UTC).') readonly period: string;
  @OneOf(MODES) readonly mode: Mode;
  @OneOf(PERIOD_STATUSES) readonly status: (typeof PERIOD_STATUSES)[number];
  @Time({ nullable: true, description: 'Null while the month is open, as are all fields below.' }) readonly closed_at: string | null;
  @Text({ nullable: true, description: 'Who closed it.' }) readonly closed_by: string | null;
  @Count({ nullable: true, description: ENTRIES }) readonly entries: number | null;
  @Integer({ minimum: 0, nullable: true, description: INDEX }) readonly index: number | null;
  @ListOf(ClosedAccountView, { nullable: true, description: 'The accounts with a balance or a movement, by name.' })
  readonly accounts: readonly ClosedAccountView[] | null;
}

const OPEN = {
  period: '2026-04',
  mode: 'live',
  status: 'open',
  closed_at: null,
  closed_by: null,
  entries: null,
  index: null,
  accounts: null,
};

@Schema('Periods', { mode: 'live', periods: [{ ...CLOSED, status: 'closed' }, OPEN] })
export class PeriodsView {
  @OneOf(MODES) readonly mode: Mode;
  @ListOf(PeriodView, { description: 'The months from that of the first entry through the present one, oldest first.' })
  readonly periods: readonly PeriodView[];
}

/** The codes and messages of rejections. A message is stated where it says more than its code's. */
export const periodRejectionResponses: RejectionResponses<PeriodRejectionCode> = {
  period_unknown: { code: 'period_not_found' },
  period_open: {
    code: 'conflict',
    message:
      'The month is open, so its statements may still change. Close it first, with POST /admin/v1/ledger/periods/{month}/close or rupa ledger close.',
  },
  period_not_ended: {
    code: 'conflict',
    message: 'The month can be closed from five minutes after its end (UTC).',
    data: ({ closable_from }) => ({ closable_from }),
  },
  period_out_of_order: {
    code: 'conflict',
    message: 'Months are closed in their order. Close the earlier ones first.',
    data: ({ next_period }) => ({ next_period }),
  },
  period_has_open_charges: {
    code: 'conflict',
    message: 'Charges of the month are neither settled nor refunded. They end by themselves within minutes: close the month then.',
    data: ({ open_charges }) => ({ open_charges }),
  },
  period_moved: {
    code: 'conflict',
    message: 'Ledger entries were posted while the month was being closed. Nothing was closed; send the request again.',
  },
};

export const PERIOD_NOT_FOUND = rejection(
  periodRejectionResponses.period_unknown,
  'PeriodNotFound',
  'The month has not begun, or it is before the first entry of the books.',
);

export const PERIOD_NOT_CLOSABLE: DocumentedError = rejection(
  periodRejectionResponses.period_has_open_charges,
  'PeriodNotClosable',
  'Charges of the month have not ended (`open_charges`), or the month ended less than five minutes ago or not at all (`closable_from`), or an earlier month is open (`next_period`), or, without `data`, entries were posted during the call.',
  {
    schema: {
      type: 'object',
      properties: {
        open_charges: { type: 'integer', minimum: 1, description: 'Charges of the month or earlier that have not ended.' },
        closable_from: { type: 'string', format: 'date-time', description: 'The moment from which the month can be closed.' },
        next_period: { type: 'string', description: 'The month to be closed next.' },
      },
    },
    example: { open_charges: 2 },
    optional: true,
  },
);

/** A month in the path of a call. Its example is that of the examples of entries. */
export const PERIOD = PathParameter({
  name: 'month',
  description: 'The month, in UTC.',
  schema: { type: 'string', pattern: MONTH_PATTERN },
  example: '2026-03',
});
