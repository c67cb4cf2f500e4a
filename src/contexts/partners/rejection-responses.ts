import { type RejectionResponses } from '../../http/errors/error-responses.js';
import { type ApiKeyRejectionCode } from './domain/api-key.js';
import { type PartnerRejectionCode } from './domain/partner.js';

/** The codes and messages of rejections. A message is stated where it says more than its code's. */
export const partnerRejectionResponses: RejectionResponses<PartnerRejectionCode> = {
  partner_unknown: { code: 'partner_not_found' },
};

export const apiKeyRejectionResponses: RejectionResponses<ApiKeyRejectionCode> = {
  api_key_unknown: { code: 'api_key_not_found' },
  api_key_linked: { code: 'conflict', message: 'This API key is linked to another partner. Issue a key of its own for each partner.' },
  too_many_rotated_keys: {
    code: 'conflict',
    message: 'Two keys that come from rotation have not expired yet. Wait until one of them has, or ask your contact to deactivate one.',
  },
  rotated_key_gone: {
    code: 'conflict',
    message: 'This rotation has issued a key that cannot be shown any more. Rotate again with another Idempotency-Key.',
  },
  api_key_deactivated: { code: 'conflict', message: 'This API key is deactivated and cannot be linked. Issue another key.' },
};
