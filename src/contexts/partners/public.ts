/** The public interface of the partners context. */
export { IssueApiKeyDto, RotateApiKeyDto } from './keys/api-keys.dto.js';
export { IssueApiKey } from './keys/issue-api-key.command.js';
export { KEYS_FORBIDDEN, OwnApiKeyList, ROTATION_CONFLICT, RotatedApiKey } from './keys/own-keys.dto.js';
export { ListOwnKeys } from './keys/own-keys.query.js';
export { RotateApiKey } from './keys/rotate-api-key.command.js';
export { ChangePartner } from './registering/change-partner.command.js';
export { type Compliance } from './complying/get-compliance.query.js';
export { MANDATORY_SECTIONS } from './domain/partner.js';
export { GetCompliance } from './complying/get-compliance.query.js';
export { GetLowBalanceThreshold, SetLowBalanceThreshold } from './low-balance.js';
export {
  COMPLIANCE_EXAMPLE,
  ComplianceView,
  LEGAL_EXAMPLE,
  LegalDetailsView,
  PARTNER_ID,
  PARTNER_NOT_FOUND,
} from './registering/partner-responses.dto.js';
export { LowBalance, LowBalanceDto, RegisterPartnerDto } from './registering/partners.dto.js';
export { ResetSandbox } from './reset-sandbox.command.js';
export { Customers } from './registering/customers.js';
export { LEGAL_FIELDS, type LegalDetails } from './domain/legal-details.js';
export { RegisterPartner } from './registering/register-partner.command.js';
export { RegisteredPartners } from './registering/registered-partners.js';
