import { REQUEST_ID_PATTERN } from '../../http/observe-requests.js';

const whole = { type: 'integer', minimum: 0 } as const;
const text = { type: 'string' } as const;

export const RATE_LIMIT_HEADERS = ['RateLimit', 'RateLimit-Policy', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/** Response headers by name. */
export const headers = {
  'X-Request-Id': {
    description: 'Identifies the request in the service’s log. Quote it when you ask for support.',
    required: true,
    schema: { ...text, pattern: REQUEST_ID_PATTERN },
    example: '5d8ad1a0-7b4c-4c33-9a59-3f1f0d1f2c11',
  },
  RateLimit: {
    description:
      'Requests left (`r`) and seconds until the limit is fully reset (`t`). A call with many items also has how many more of these may run at once. Absent if there is no limit, and from the errors of a request that is refused before it is counted.',
    schema: text,
    example: '"partner";r=99;t=1',
  },
  'RateLimit-Policy': {
    description: 'The limit (`q`) and its window in seconds (`w`), or its unit (`qu`) if it has no window.',
    schema: text,
    example: '"partner";q=100;w=1',
  },
  'RateLimit-Limit': { description: 'Requests allowed per second.', schema: whole, example: 100 },
  'RateLimit-Remaining': { description: 'Requests left in the current second.', schema: whole, example: 99 },
  'RateLimit-Reset': { description: 'Seconds until the limit is fully reset.', schema: whole, example: 1 },
  'WWW-Authenticate': {
    description:
      'The expected credentials and the error: `malformed_key` for a key that is mistyped or cut off, `invalid_key` for a key that is unknown or deactivated.',
    required: true,
    schema: text,
    example: 'ApiKey realm="rupa", error="malformed_key", error_description="…"',
  },
  'Retry-After': { description: 'Seconds to wait before a retry.', required: true, schema: whole, example: 1 },
  'Idempotent-Replayed': {
    description:
      '`true` if this is the stored response of an earlier request with the same key, which is not billed again; absent otherwise.',
    schema: { ...text, enum: ['true'] },
    example: 'true',
  },
};
