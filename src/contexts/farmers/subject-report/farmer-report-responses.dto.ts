import { Count, EXAMPLE, Flag, ListOf, Nested, OneOf, RupaId, Schema, Text, Texts, Time } from '../../../http/openapi/properties.js';
import { ACCOUNT_TYPES, type AccountType, type Mode, MODES, type Activity, REPORTABLE_ACTIVITIES } from '../../../kernel/accounts.js';
import { FarmerRecordView } from '../recording/farmer-responses.dto.js';
import { SECTIONS } from '../../../kernel/section-names.js';

const SOURCE = 'The purpose that the partner named: `source` of the lookup.';

class ItemOfPartner {
  @Text() readonly partner_id: string;
  @Text() readonly company_name: string;
  @OneOf(ACCOUNT_TYPES) readonly account_type: AccountType;
}

@Schema('FarmerReportConsent')
export class ReportedConsent extends ItemOfPartner {
  @Text(SOURCE) readonly source: string;
  @Time() readonly granted_at: string;
  @Time() readonly last_accessed_at: string;
  @Count() readonly access_count: number;
}

@Schema('FarmerReportLookup')
export class ReportedLookup extends ItemOfPartner {
  @Text() readonly lookup_id: string;
  @Time() readonly looked_up_at: string;
  @Text(SOURCE) readonly source: string;
  @Texts(SECTIONS) readonly sections: readonly string[];
  @Flag('True if the lookup failed and its charge was refunded.') readonly refunded: boolean;
}

@Schema('FarmerReportContribution')
export class ReportedContribution extends ItemOfPartner {
  @Count() readonly contribution_id: number;
  @OneOf(Object.values(REPORTABLE_ACTIVITIES).flat()) readonly event: Activity;
  @Time() readonly occurred_at: string;
}

const BANK = { partner_id: EXAMPLE.partner_id, company_name: 'Savannah Demo Bank', account_type: 'bank' };
const LOOKED_UP_AT = '2026-03-09T14:30:00.000Z';

/** The consents, lookups and reports that concern a farmer, without personal data unless it is asked for. Each list has the latest item first. */
@Schema('FarmerReport', {
  rupa_id: EXAMPLE.registered,
  mode: 'sandbox',
  registered_at: '2026-01-05T08:00:00.000Z',
  erased_at: null,
  made_at: '2026-03-10T08:00:00.000Z',
  consents: [{ ...BANK, source: 'loan', granted_at: LOOKED_UP_AT, last_accessed_at: LOOKED_UP_AT, access_count: 1 }],
  lookups: [
    {
      ...BANK,
      lookup_id: EXAMPLE.lookup_id,
      looked_up_at: LOOKED_UP_AT,
      source: 'loan',
      sections: ['identity', 'outstanding_loans'],
      refunded: false,
    },
  ],
  reports: [{ ...BANK, contribution_id: 4711, event: 'loan_disbursed', occurred_at: '2026-03-01T00:00:00.000Z' }],
})
export class FarmerReport {
  @RupaId() readonly rupa_id: string;
  @OneOf(MODES) readonly mode: Mode;
  @Time() readonly registered_at: string;
  @Time({ description: 'Null unless the farmer was erased.', nullable: true }) readonly erased_at: string | null;
  @Time('When the report was made. It covers everything recorded before.') readonly made_at: string;
  @ListOf(ReportedConsent) readonly consents: readonly ReportedConsent[];
  @ListOf(ReportedLookup) readonly lookups: readonly ReportedLookup[];
  @ListOf(ReportedContribution) readonly reports: readonly ReportedContribution[];
  @Nested(FarmerRecordView, { description: 'Only with `personal=true`; null if the farmer was erased.', nullable: true, required: false })
  readonly record?: FarmerRecordView | null;
}
