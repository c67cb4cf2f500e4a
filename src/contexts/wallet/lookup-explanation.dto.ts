import { ApiProperty } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import { EXAMPLE, Schema } from '../../http/openapi/example.js';
import {
  Count,
  Flag,
  ListOf,
  Naira,
  NairaByFee,
  Nested,
  OneOf,
  RupaId,
  Text,
  Texts,
  Time,
  Integer,
} from '../../http/openapi/properties.js';
import { Required } from '../../http/validation.js';
import { ACCOUNT_TYPES } from '../../kernel/account-types.js';
import { MODES } from '../../kernel/modes.js';
import { SECTIONS } from '../../kernel/section-names.js';
import { type LookupExplanation } from './explain-lookup.query.js';
import { OUTCOMES } from './lookups.dto.js';

export class LookupsOfRequestQueryDto {
  @ApiProperty({ description: '`X-Request-Id` of the lookup’s response.', example: '5d8ad1a0-7b4c-4c33-9a59-3f1f0d1f2c11' })
  @Required()
  @IsString()
  @MaxLength(64)
  request_id: string;
}

const PARTNER = { partner_id: EXAMPLE.partner_id, company_name: 'Savannah Demo Bank', account_type: 'bank', mode: 'sandbox' };
const KEY = { key_id: '3e0f3a55-8a33-4b2e-8b7c-5f8f53a1c7d9', label: 'production' };
const OUTCOME = { status: 'settled', at: '2026-03-09T14:30:02.000Z', revision: 18 };

@Schema('LookupPartner', PARTNER)
class LookupPartner {
  @Text() readonly partner_id: string;
  @Text() readonly company_name: string;
  @OneOf(ACCOUNT_TYPES) readonly account_type: string;
  @OneOf(MODES) readonly mode: string;
}

@Schema('LookupKey', KEY)
class LookupKey {
  @Text() readonly key_id: string;
  @Text({ nullable: true }) readonly label: string | null;
}

@Schema('LookupOutcome', OUTCOME)
class LookupOutcome {
  @OneOf(OUTCOMES) readonly status: string;
  @Time({ required: false }) readonly at?: string;
  @Count({ required: false, description: 'Revision of the wallet’s entry.' }) readonly revision?: number;
  @Text({ required: false, description: 'Of a refund or a compensation.' }) readonly reason?: string;
}

const EXPLANATION = {
  lookup_id: EXAMPLE.lookup_id,
  partner: PARTNER,
  key: KEY,
  rupa_id: EXAMPLE.rupa_id,
  source: 'loan',
  charged_at: '2026-03-09T14:30:00.000Z',
  revision: 17,
  hash: '5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9',
  sections: ['identity', 'outstanding_loans'],
  amount: 130,
  breakdown: { 'svc_fee.identity': 50, 'svc_fee.outstanding_loans': 80 },
  price_book_version: 1,
  consent_granted: true,
  outcome: OUTCOME,
};

/** A charged lookup as `rupa wallet explain` shows it (admin, "Operators"). */
@Schema('LookupExplanation', EXPLANATION)
export class LookupExplanationView implements LookupExplanation {
  @Text() readonly lookup_id: string;
  @Nested(LookupPartner) readonly partner: LookupExplanation['partner'];
  @Nested(LookupKey) readonly key: LookupExplanation['key'];
  @RupaId() readonly rupa_id: string;
  @Text() readonly source: string;
  @Time() readonly charged_at: string;
  @Count('Revision of the debit in the partner’s wallet.') readonly revision: number;
  @Text() readonly hash: string;
  @Texts(SECTIONS, 'The sections that were charged.') readonly sections: readonly string[];
  @Naira() readonly amount: number;
  @NairaByFee() readonly breakdown: Readonly<Record<string, number>>;
  @Integer() readonly price_book_version: number;
  @Flag('Whether the lookup recorded the partner’s consent for the farmer.') readonly consent_granted: boolean;
  @Nested(LookupOutcome) readonly outcome: LookupExplanation['outcome'];
}

@Schema('LookupExplanations', { lookups: [EXPLANATION] })
export class LookupExplanations {
  @ListOf(LookupExplanationView) readonly lookups: readonly LookupExplanation[];
}
