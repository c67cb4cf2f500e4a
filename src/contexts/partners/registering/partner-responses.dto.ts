import { ApiParam } from '@nestjs/swagger';
import { rejection } from '../../../http/openapi/errors.js';
import { NEXT_CURSOR } from '../../../http/validating/paging.js';
import { Count, Decimal, EXAMPLE, Id, ListOf, Naira, Nested, OneOf, Schema, Text, Texts } from '../../../http/openapi/properties.js';
import { ACCOUNT_TYPES, type AccountType, type Mode, MODES } from '../../../kernel/accounts.js';
import { SECTIONS } from '../../../kernel/section-names.js';
import { type Compliance } from '../complying/get-compliance.query.js';
import { type LegalDetails } from '../domain/legal-details.js';
import { partnerRejectionResponses } from '../rejection-responses.js';

export const PARTNER_ID = ApiParam({ name: 'id', description: 'The partner’s id.', example: EXAMPLE.partner_id });

export const PARTNER_NOT_FOUND = rejection(partnerRejectionResponses.partner_unknown, 'PartnerNotFound', 'No partner has that id.');

export const COMPLIANCE_EXAMPLE = { lookups: 40, contributions_expected: 40, contributions_received: 38, compliance_rate: 0.95 };

@Schema('Compliance', COMPLIANCE_EXAMPLE)
export class ComplianceView implements Compliance {
  @Count() readonly lookups: number;
  @Count() readonly contributions_expected: number;
  @Count() readonly contributions_received: number;
  @Decimal({ minimum: 0 }) readonly compliance_rate: number;
}

const CUSTOMER_NUMBER = { description: 'Counts the partners of both modes in the order of their registration, from 1001.', minimum: 1001 };

export const LEGAL_EXAMPLE = {
  name: 'Savannah Demo Bank Plc',
  address: '12 Marina, Lagos',
  tax_id: '12345678-0001',
  registration_number: 'RC 123456',
  email: 'accounts@savannah.example',
};

@Schema('LegalDetails', LEGAL_EXAMPLE)
export class LegalDetailsView implements LegalDetails {
  @Text({ nullable: true }) readonly name: string | null;
  @Text({ nullable: true }) readonly address: string | null;
  @Text({ description: 'The tax identification number (TIN).', nullable: true }) readonly tax_id: string | null;
  @Text({ description: 'The number in the register of companies (RC).', nullable: true }) readonly registration_number: string | null;
  @Text({ nullable: true }) readonly email: string | null;
}

const NAMED = { partner_id: EXAMPLE.partner_id, company_name: 'Savannah Demo Bank', account_type: 'bank', mode: 'sandbox' };
const PARTNER = {
  ...NAMED,
  customer_number: 1001,
  legal: LEGAL_EXAMPLE,
  status: 'active',
  optional_sections: ['farms'],
  ip_allow_list: ['203.0.113.0/24'],
  wallet_balance: 98700,
  compliance: COMPLIANCE_EXAMPLE,
};

@Schema('Partner', PARTNER)
export class PartnerView {
  @Text() readonly partner_id: string;
  @Text() readonly company_name: string;
  @OneOf(ACCOUNT_TYPES) readonly account_type: AccountType;
  @OneOf(MODES) readonly mode: Mode;
  @Id(CUSTOMER_NUMBER) readonly customer_number: number;
  @Nested(LegalDetailsView, 'What invoices and statements show; null where it is not known.') readonly legal: LegalDetails;
  @OneOf(['active', 'pending']) readonly status: 'pending' | 'active';
  @Texts(SECTIONS) readonly optional_sections: readonly string[];
  @Texts(undefined, 'IP addresses and CIDR ranges. An empty list allows every address.') readonly ip_allow_list: readonly string[];
  @Naira() readonly wallet_balance: number;
  @Nested(ComplianceView) readonly compliance: Compliance;
}

@Schema('PartnerList', { partners: [PARTNER] })
export class PartnerList {
  @ListOf(PartnerView) readonly partners: readonly PartnerView[];
  @Text({ ...NEXT_CURSOR, required: false }) readonly next_cursor?: string | null;
}

@Schema('RegisteredPartner', { ...NAMED, customer_number: 1001, status: 'pending' })
export class RegisteredPartner {
  @Text() readonly partner_id: string;
  @Text() readonly company_name: string;
  @OneOf(ACCOUNT_TYPES) readonly account_type: AccountType;
  @OneOf(MODES) readonly mode: Mode;
  @Id(CUSTOMER_NUMBER) readonly customer_number: number;
  @OneOf(['pending']) readonly status: 'pending';
}
