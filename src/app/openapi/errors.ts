import { errorResponse, type ErrorResponse, type Part } from './operation.js';
import { amount, list, oneOf, type Schema, shape, text } from './schema.js';

const errorMap: Schema = shape({
  errors: {
    type: 'object',
    description: 'By the field as it was sent, such as `rupa_id` or `sections.2`.',
    additionalProperties: list(text()),
  },
});

const shortfall: Schema = shape({
  required_amount: amount('NGN.'),
  available_amount: amount('NGN.'),
  shortfall: amount('NGN.'),
  currency: oneOf(['NGN']),
  breakdown: { type: 'object', additionalProperties: amount('NGN.') },
});

const breakdown = { 'svc_fee.identity': 50, 'svc_fee.outstanding_loans': 80 };
const shortfallExample = { required_amount: 130, available_amount: 60, shortfall: 70, currency: 'NGN', breakdown };

/** Every error there is, with the message of interface 7. */
export const errorResponses: Readonly<Record<ErrorResponse, Part>> = {
  InvalidJson: errorResponse('The body is not valid JSON, or the request is no proper HTTP.', 'The request body is not valid JSON.'),
  Unauthorized: errorResponse(
    'No key, or one that is mistyped, unknown or deactivated: the header tells which.',
    'API key is required in the X-API-KEY header.',
    undefined,
    ['WWW-Authenticate'],
  ),
  AdminUnauthorized: errorResponse('No valid token.', 'A valid token is required: send Authorization: Bearer <token>.', undefined, [
    'WWW-Authenticate',
  ]),
  PaymentRequired: errorResponse('The wallet holds too little; nothing was charged.', 'Insufficient wallet balance for this lookup.', {
    schema: shortfall,
    example: shortfallExample,
  }),
  Forbidden: errorResponse(
    'The key is linked to no partner, the address is not on the allow-list, the account is pending (look-ups only), or no requested section is permitted.',
    'Your partner account is pending. Contact the provider to activate API access.',
  ),
  AdminForbidden: errorResponse('The token may not make this call.', 'This token may only read.'),
  FarmerNotFound: errorResponse('Nobody has that Rupa ID, in this mode.', 'No farmer found for that Rupa ID.'),
  ConsentNotFound: errorResponse('The farmer is not on the roster.', 'No consent record found for that Rupa ID.'),
  PartnerNotFound: errorResponse('There is no such partner.', 'No partner found for that id.'),
  ApiKeyNotFound: errorResponse('There is no such key, or no such partner.', 'No API key found for that id.'),
  WebhookNotFound: errorResponse('It is no endpoint, or no delivery, of yours.', 'No webhook endpoint found for that id.'),
  StillRunning: errorResponse(
    'Another look-up with this Idempotency-Key is running.',
    'A look-up with this Idempotency-Key is still running. Please retry shortly.',
  ),
  FarmerConflict: errorResponse(
    'The id was erased, or the mode is not the one it was registered with.',
    'The mode of a farmer is fixed at registration.',
  ),
  ReferenceReused: errorResponse(
    'The reference belongs to a credit of another amount.',
    'That reference was already used for a credit of another amount.',
  ),
  BodyTooLarge: errorResponse('The body is larger than 64 KiB.', 'The request body is larger than 64 KiB.'),
  NotJson: errorResponse('The body is not sent as JSON.', 'Send the request body as application/json.'),
  ValidationError: errorResponse('A field is missing or wrong.', 'Validation Error', {
    schema: errorMap,
    example: { errors: { rupa_id: ['The rupa id field is required.'] } },
  }),
  TooManyRequests: errorResponse(
    'Called too often: a partner per second, or an address with wrong keys.',
    'Too many requests. Retry after the time in the Retry-After header.',
    undefined,
    ['Retry-After'],
  ),
  ServerError: errorResponse(
    'Something failed on our side; a look-up’s charge is refunded. Retry with backoff.',
    'Something went wrong on our side. Please retry with backoff.',
  ),
  Unavailable: errorResponse(
    'A store does not answer in time. Retry with backoff.',
    'The service is busy. Please retry with backoff.',
    undefined,
    ['Retry-After'],
  ),
};

const whole = { type: 'integer', minimum: 0 } as const;

export const headers: Readonly<Record<string, Part>> = {
  RateLimit: {
    description: 'What is left of the limit, and seconds until it is whole again; absent where there is no limit.',
    schema: { type: 'string' },
    example: '"partner";r=99;t=1',
  },
  'RateLimit-Policy': { description: 'The limit and its window in seconds.', schema: { type: 'string' }, example: '"partner";q=100;w=1' },
  'RateLimit-Limit': { description: 'Calls a second.', schema: whole, example: 100 },
  'RateLimit-Remaining': { description: 'Calls left in this second.', schema: whole, example: 99 },
  'RateLimit-Reset': { description: 'Seconds until the limit is whole again.', schema: whole, example: 1 },
  'WWW-Authenticate': {
    description:
      'What was expected, and what is wrong with what came: `malformed_key` for one that was mistyped or cut off, `invalid_key` for one that is unknown or deactivated.',
    required: true,
    schema: { type: 'string' },
    example: 'ApiKey realm="rupa", error="malformed_key", error_description="…"',
  },
  'Retry-After': { description: 'Seconds to wait before the next try.', required: true, schema: whole, example: 1 },
  'Idempotent-Replayed': {
    description: '`true` where an earlier answer came again, unbilled; absent otherwise.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
};
