import { apiKeyRejectionResponses } from '../rejection-responses.js';
import { type DocumentedError } from '../../../http/openapi/errors.js';
import { Flag, ListOf, Schema, Text, Time } from '../../../http/openapi/properties.js';

const KEY = {
  key_id: '3e0f3a55-8a33-4b2e-8b7c-5f8f53a1c7d9',
  label: 'production',
  prefix: 'rupa_key_000000',
  last_four: 'LLsT',
  created_at: '2026-03-01T09:00:00.000Z',
  last_used_at: '2026-03-09T14:00:00.000Z',
  expires_at: null,
  current: true,
};

/** A key of the caller's account, without the key itself (decisions, "Keys"). */
@Schema('OwnApiKey', KEY)
export class OwnApiKey {
  @Text() readonly key_id: string;
  @Text({ nullable: true }) readonly label: string | null;
  @Text('The first 15 characters, which the keys of an account have in common.') readonly prefix: string;
  @Text({ nullable: true, description: 'The last four characters; null for a key that was issued before they were kept.' })
  readonly last_four: string | null;
  @Time() readonly created_at: string;
  @Time({ nullable: true, description: 'The beginning of the hour in which the key was last used; null before its first use.' })
  readonly last_used_at: string | null;
  @Time({ nullable: true, description: 'The key is refused from then on; null for a key that does not expire.' })
  readonly expires_at: string | null;
  @Flag('Whether this call was made with the key.') readonly current: boolean;
}

@Schema('OwnApiKeyList', { keys: [KEY] })
export class OwnApiKeyList {
  @ListOf(OwnApiKey) readonly keys: readonly OwnApiKey[];
}

@Schema('RotatedApiKey', {
  key_id: '8d2b6c1e-0f4a-4c59-9b1d-6a7e5f3c2b10',
  api_key: 'rupa_key_00000000000000000000000000000000000000000001WLLsT',
  current_expires_at: '2026-03-10T09:00:00.000Z',
})
export class RotatedApiKey {
  @Text() readonly key_id: string;
  @Text('Shown only in this response, and in its repetition with the same `Idempotency-Key`.') readonly api_key: string;
  @Time('The key with which you called is refused from then on.') readonly current_expires_at: string;
}

/** Instead of the forbidden response of all partners' calls. */
export const KEYS_FORBIDDEN: DocumentedError = {
  name: 'KeysForbidden',
  codes: ['account_not_active', 'api_key_not_linked', 'ip_not_allowed'],
  description: 'The account is pending, the key is linked to no account, or the address is not on the account’s allow-list.',
};

/** The status 409 of a call is documented once, so this stands above KeepsResponses, which has one of its own. */
export const ROTATION_CONFLICT: DocumentedError = {
  name: 'RotationConflict',
  codes: ['conflict', 'idempotency_in_progress'],
  description: 'Two keys that come from rotation have not expired yet, or a request with this Idempotency-Key is still running.',
  message: apiKeyRejectionResponses.too_many_rotated_keys.message ?? '',
};
