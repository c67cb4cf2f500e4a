import { ApiParam } from '@nestjs/swagger';
import { type DocumentedError, rejection } from '../../http/openapi/errors.js';
import { EXAMPLE, Schema } from '../../http/openapi/example.js';
import { AlwaysTrue, Text } from '../../http/openapi/properties.js';
import { apiKeyRejectionResponses } from './rejection-responses.js';

const key_id = '3e0f3a55-8a33-4b2e-8b7c-5f8f53a1c7d9';

export const KEY_ID = ApiParam({ name: 'keyId', description: 'The key’s id.', example: key_id });

export const API_KEY_NOT_FOUND: DocumentedError = {
  name: 'ApiKeyNotFound',
  codes: ['api_key_not_found', 'partner_not_found'],
  description: 'No API key has that id, or no partner has that partner id.',
};

export const API_KEY_CONFLICT = rejection(
  apiKeyRejectionResponses.api_key_linked,
  'ApiKeyConflict',
  'The key is linked to another partner, or deactivated. Linking it again to its own partner changes nothing.',
);

@Schema('IssuedApiKey', { key_id, api_key: 'rupa_key_00000000000000000000000000000000000000000001WLLsT' })
export class IssuedApiKey {
  @Text() readonly key_id: string;
  @Text('Shown only in this response: the service stores only its hash.') readonly api_key: string;
}

@Schema('LinkedApiKey', { key_id, partner_id: EXAMPLE.partner_id })
export class LinkedApiKey {
  @Text() readonly key_id: string;
  @Text() readonly partner_id: string;
}

@Schema('DeactivatedApiKey', { key_id, deactivated: true })
export class DeactivatedApiKey {
  @Text() readonly key_id: string;
  @AlwaysTrue() readonly deactivated: true;
}
