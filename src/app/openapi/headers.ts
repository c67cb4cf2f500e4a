const whole = { type: 'integer', minimum: 0 } as const;
const text = { type: 'string' } as const;

export const RATE_LIMIT_HEADERS = ['RateLimit', 'RateLimit-Policy', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/** Headers of responses, by their names. */
export const headers = {
  'X-Request-Id': {
    description: 'Identifies the request in the log. Quote it when you ask about a response.',
    required: true,
    schema: { ...text, format: 'uuid' },
    example: '5d8ad1a0-7b4c-4c33-9a59-3f1f0d1f2c11',
  },
  RateLimit: {
    description: 'Calls left of the limit, and seconds until it is whole again; absent where there is no limit.',
    schema: text,
    example: '"partner";r=99;t=1',
  },
  'RateLimit-Policy': { description: 'The limit and its window in seconds.', schema: text, example: '"partner";q=100;w=1' },
  'RateLimit-Limit': { description: 'Calls a second.', schema: whole, example: 100 },
  'RateLimit-Remaining': { description: 'Calls left in this second.', schema: whole, example: 99 },
  'RateLimit-Reset': { description: 'Seconds until the limit is whole again.', schema: whole, example: 1 },
  'WWW-Authenticate': {
    description:
      'What was expected, and what is wrong with what was sent: `malformed_key` for a key that was mistyped or cut off, `invalid_key` for one that is unknown or deactivated.',
    required: true,
    schema: text,
    example: 'ApiKey realm="rupa", error="malformed_key", error_description="…"',
  },
  'Retry-After': { description: 'Seconds to wait before the next try.', required: true, schema: whole, example: 1 },
  'Idempotent-Replayed': {
    description: '`true` where a stored response was sent again, unbilled; absent otherwise.',
    schema: { ...text, enum: ['true'] },
    example: 'true',
  },
};
