import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Min } from 'class-validator';
import { type RejectionResponses } from '../../../http/errors/error-responses.js';
import { rejection } from '../../../http/openapi/errors.js';
import { Flag, Naira, OneOf, Schema, Text, Time } from '../../../http/openapi/properties.js';
import { Input } from '../../../http/validating/dto.js';
import { IsDay, IsNaira, MaxLength, Required, ShortText } from '../../../http/validating/validation.js';
import { DEFAULT_MODE, type Mode, MODES } from '../../../kernel/accounts.js';
import { sumInNaira, toNaira } from '../../../kernel/money.js';
import { type FieldErrors, sentenceOf } from '../../../kernel/validation-failed.js';
import { ENTRY_ACCOUNTS } from '../domain/entry-postings.js';
import { ENTRY_KINDS, type EntryKind } from '../domain/events.js';
import { type LedgerRejectionCode } from '../domain/ledger.js';

const ENTRY = {
  kind: 'bank_charge',
  amount: 52.5,
  reference: 'charge-2026-03',
  date: '2026-03-31',
  reason: 'SMS alerts of March',
} as const;

@Schema('LedgerEntryRequest', ENTRY)
export class LedgerEntryDto extends Input {
  @ApiProperty({ description: 'The books that the entry belongs to.', default: DEFAULT_MODE })
  @IsOptional()
  @IsIn(MODES)
  mode?: Mode | null;

  @ApiProperty({ description: 'Decides the postings.' })
  @Required()
  @IsIn(ENTRY_KINDS)
  kind: EntryKind;

  @ApiProperty({
    description:
      'Amount in NGN. Required unless the entry is a reversal, which undoes a whole entry: if it is sent then, it is that entry’s.',
  })
  @IsOptional()
  @IsNaira()
  @Min(0.01)
  amount?: number | null;

  @ApiProperty({
    description:
      'With `passthrough_settlement` the provider, such as `bvn`; with `opening_balance` the account, such as `cash_received`. Required with these, refused with others.',
  })
  @IsOptional()
  @IsString()
  @MaxLength()
  account?: string | null;

  @ApiProperty({ description: 'With `reversal` the reference of the entry to undo. Required with it, refused with others.' })
  @IsOptional()
  @IsString()
  @MaxLength()
  of?: string | null;

  @ShortText('Idempotency key: the same entry again posts nothing.')
  reference: string;

  @ApiProperty({
    description: 'Day (UTC) from whose first moment the entry counts, not after today, and not in a closed month. Default: today.',
  })
  @IsOptional()
  @IsDay()
  date?: string | null;

  @ShortText('Kept with the entry.')
  reason: string;

  override problems(): FieldErrors {
    if (!ENTRY_KINDS.some((kind) => kind === this.kind)) return {};
    const problems = { amount: this.amountProblem(), account: this.accountProblem(), of: this.ofProblem() };
    return Object.fromEntries(
      Object.entries(problems).flatMap(([field, problem]) => (problem === undefined ? [] : [[field, [sentenceOf(field, problem)]]])),
    );
  }

  private amountProblem(): string | undefined {
    return this.kind !== 'reversal' && this.amount == null ? 'is required' : undefined;
  }

  private accountProblem(): string | undefined {
    const known = ENTRY_ACCOUNTS[this.kind];
    if (!known) return this.account ? `is only for ${Object.keys(ENTRY_ACCOUNTS).join(' and ')}` : undefined;
    if (!this.account) return 'is required';
    return known.includes(this.account) ? undefined : `must be one of ${known.join(', ')}`;
  }

  private ofProblem(): string | undefined {
    if (this.kind === 'reversal') return this.of ? undefined : 'is required';
    return this.of ? 'is only for reversals' : undefined;
  }
}

@Schema('LedgerEntry', {
  mode: 'live',
  ...ENTRY,
  account: null,
  of: null,
  actor: 'admin:amina',
  recorded_at: '2026-04-01T08:00:00.000Z',
  created: true,
})
export class LedgerEntryView {
  @OneOf(MODES) readonly mode: Mode;
  @OneOf(ENTRY_KINDS) readonly kind: EntryKind;
  @Naira() readonly amount: number;
  @Text({ nullable: true, description: 'As it was sent; in a reversal that of the entry that it undoes.' }) readonly account: string | null;
  @Text({ nullable: true, description: 'Reference of the entry that a reversal undoes.' }) readonly of: string | null;
  @Text() readonly reference: string;
  @Text('Day (UTC) from whose first moment the entry counts.') readonly date: string;
  @Text() readonly reason: string;
  @Text() readonly actor: string;
  @Time() readonly recorded_at: string;
  @Flag('False if the same entry was posted before under this reference.') readonly created: boolean;
}

/** The codes and messages of rejections. A message is stated where it says more than its code's. */
export const ledgerRejectionResponses: RejectionResponses<LedgerRejectionCode> = {
  entry_reference_reused: { code: 'conflict', message: 'That reference was already used for another ledger entry.' },
  owed_less_than_amount: {
    code: 'conflict',
    message: 'The account holds less than the amount.',
    data: ({ available_kobo }) => ({ available_amount: sumInNaira(available_kobo as bigint) }),
  },
  entry_not_reversible: {
    code: 'conflict',
    message: 'There is no entry of that reference and amount to reverse, or it was reversed before.',
    data: ({ reversible_kobo }) => ({ reversible_amount: toNaira(reversible_kobo as number) }),
  },
  entry_in_closed_period: {
    code: 'conflict',
    message: 'The date is in a month that is closed. Date the entry into an open month.',
    data: ({ period, open_from }) => ({ period, open_from }),
  },
};

export const ENTRY_REFUSED = rejection(
  ledgerRejectionResponses.owed_less_than_amount,
  'LedgerEntryRefused',
  'More would be settled, remitted or certified than the account holds (`available_amount`); or there is no such entry to reverse (`reversible_amount`); or the date is in a closed month (`period`, `open_from`); or, without `data`, the reference was already used.',
  {
    schema: {
      type: 'object',
      properties: {
        available_amount: { type: 'number', description: 'What the account holds, in NGN.' },
        reversible_amount: {
          type: 'number',
          description: 'The amount that a reversal would have, in NGN; 0 if there is no entry to reverse.',
        },
        period: { type: 'string', description: 'The closed month of the date.' },
        open_from: { type: 'string', format: 'date', description: 'The first day on which entries may be dated.' },
      },
    },
    example: { available_amount: 1200 },
    optional: true,
  },
);
