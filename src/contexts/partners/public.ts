/** The public interface of the partners context. */
export { ChangePartner } from './change-partner.command.js';
export { type Compliance } from './compliance.js';
export { MANDATORY_SECTIONS } from './domain/mandatory-sections.js';
export { GetCompliance } from './get-compliance.query.js';
export { GetLowBalanceThreshold, SetLowBalanceThreshold } from './low-balance.js';
export { COMPLIANCE_EXAMPLE, ComplianceView, PARTNER_ID, PARTNER_NOT_FOUND } from './partner-responses.dto.js';
export { LowBalance, LowBalanceDto, RegisterPartnerDto } from './partners.dto.js';
export { RegisterPartner } from './register-partner.command.js';
export { RegisteredPartners } from './registered-partners.js';
