import { type RejectionResponses } from '../../http/error-responses.js';
import { type ApiKeyRejectionCode } from './domain/rejections.js';

/** Statuses and messages as the specification fixes them (interface, section 7; admin.md). */
export const apiKeyRejectionResponses: RejectionResponses<ApiKeyRejectionCode> = {
  api_key_unknown: { status: 404, message: 'No API key found for that id.' },
  api_key_linked: { status: 409, message: 'This API key is linked to another partner. Issue a key of its own for each partner.' },
  api_key_deactivated: { status: 409, message: 'This API key is deactivated and cannot be linked. Issue another key.' },
};
