import { Naira, Nested, OneOf, Schema, Text, Texts } from '../../../http/openapi/properties.js';
import { ACCOUNT_TYPES, type AccountType, type Mode, MODES, REPORTABLE_ACTIVITIES } from '../../../kernel/accounts.js';
import { SECTIONS } from '../../../kernel/section-names.js';
import { type Compliance, COMPLIANCE_EXAMPLE, ComplianceView, MANDATORY_SECTIONS } from '../../partners/public.js';

/** The calling partner's account (interface, sections 2.2 and 4.3). */
@Schema('PartnerAccount', {
  company_name: 'Savannah Demo Bank',
  account_type: 'bank',
  status: 'active',
  mode: 'sandbox',
  allowed_sections: MANDATORY_SECTIONS.bank,
  mandatory_sections: MANDATORY_SECTIONS.bank,
  contribution_events: REPORTABLE_ACTIVITIES.bank,
  wallet_balance: 98700,
  low_balance_threshold: 5000,
  compliance: COMPLIANCE_EXAMPLE,
})
export class PartnerAccount {
  @Text() readonly company_name: string;
  @OneOf(ACCOUNT_TYPES) readonly account_type: AccountType;
  @OneOf(['active', 'pending']) readonly status: 'pending' | 'active';
  @OneOf(MODES) readonly mode: Mode;
  @Texts(SECTIONS) readonly allowed_sections: readonly string[];
  @Texts(SECTIONS) readonly mandatory_sections: readonly string[];
  @Texts(Object.values(REPORTABLE_ACTIVITIES).flat()) readonly contribution_events: readonly string[];
  @Naira('NGN, exact at the moment of the response.') readonly wallet_balance: number;
  @Naira({ description: 'NGN below which `account.low_balance` is sent; null for never.', nullable: true }) readonly low_balance_threshold:
    number | null;
  @Nested(ComplianceView) readonly compliance: Compliance;
}
