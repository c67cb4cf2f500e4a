import { ApiParam } from '@nestjs/swagger';
import { type DocumentedError, rejection } from '../../../http/openapi/errors.js';
import { EXAMPLE, Flag, ListOf, Schema, Text, Time } from '../../../http/openapi/properties.js';
import { NEXT_CURSOR } from '../../../http/validating/paging.js';
import { apiKeyRejectionResponses } from '../rejection-responses.js';

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
  @Flag('Always true.') readonly deactivated: true;
}

const KEY = {
  key_id,
  partner_id: EXAMPLE.partner_id,
  label: 'production',
  last_four: 'LLsT',
  created_at: '2026-03-01T09:00:00.000Z',
  last_used_at: '2026-03-09T14:00:00.000Z',
  expires_at: null,
  deactivated_at: null,
};

/** An API key without the key itself, of which the service knows only the hash (admin, "Operators"). */
@Schema('ApiKey', KEY)
export class ApiKeyView {
  @Text() readonly key_id: string;
  @Text({ nullable: true, description: 'Null for a key that is linked to no partner.' }) readonly partner_id: string | null;
  @Text({ nullable: true }) readonly label: string | null;
  @Text({ nullable: true, description: 'The last four characters; null for a key that was issued before they were kept.' })
  readonly last_four: string | null;
  @Time() readonly created_at: string;
  @Time({ nullable: true, description: 'The beginning of the hour in which the key was last used; null before its first use.' })
  readonly last_used_at: string | null;
  @Time({
    nullable: true,
    description: 'The key is refused from then on, because its partner replaced it; null for a key that does not expire.',
  })
  readonly expires_at: string | null;
  @Time({ nullable: true }) readonly deactivated_at: string | null;
}

@Schema('ApiKeyList', { api_keys: [KEY], next_cursor: null })
export class ApiKeyList {
  @ListOf(ApiKeyView) readonly api_keys: readonly ApiKeyView[];
  @Text(NEXT_CURSOR) readonly next_cursor: string | null;
}
