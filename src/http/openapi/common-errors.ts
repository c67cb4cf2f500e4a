import { type DocumentedError } from './errors.js';

// Errors that any route may return.

export const INVALID_JSON: DocumentedError = {
  name: 'InvalidJson',
  status: 400,
  description: 'The body is not valid JSON, or the request is not valid HTTP.',
  message: 'The request body is not valid JSON.',
};

export const UNAUTHORIZED: DocumentedError = {
  name: 'Unauthorized',
  status: 401,
  description: 'The API key is missing, mistyped, unknown or deactivated. The WWW-Authenticate header says which.',
  message: 'API key is required in the X-API-KEY header.',
  headers: ['WWW-Authenticate'],
};

export const ADMIN_UNAUTHORIZED: DocumentedError = {
  name: 'AdminUnauthorized',
  status: 401,
  description: 'The token is missing or invalid.',
  message: 'A valid token is required: send Authorization: Bearer <token>.',
  headers: ['WWW-Authenticate'],
};

export const FORBIDDEN: DocumentedError = {
  name: 'Forbidden',
  status: 403,
  description:
    'The key is not linked to a partner, the caller’s address is not on the allow-list, the account is pending (lookups only), or none of the requested sections is permitted.',
  message: 'Your partner account is pending. Contact the provider to activate API access.',
};

export const ADMIN_FORBIDDEN: DocumentedError = {
  name: 'AdminForbidden',
  status: 403,
  description: 'The role of the token does not allow this call: auditors may only read.',
  message: 'This token may only read.',
};

export const BODY_TOO_LARGE: DocumentedError = {
  name: 'BodyTooLarge',
  status: 413,
  description: 'The body is larger than 64 KiB.',
  message: 'The request body is larger than 64 KiB.',
};

export const NOT_JSON: DocumentedError = {
  name: 'NotJson',
  status: 415,
  description: 'The Content-Type of the body is not application/json.',
  message: 'Send the request body as application/json.',
};

export const INVALID: DocumentedError = {
  name: 'ValidationError',
  status: 422,
  description: 'A field is missing or invalid. `data.errors` has the messages.',
  message: 'Validation Error',
  data: {
    schema: {
      type: 'object',
      properties: {
        errors: {
          type: 'object',
          description: 'Messages by field name as sent, such as `rupa_id` or `sections.2`.',
          additionalProperties: { type: 'array', items: { type: 'string' } },
        },
      },
      required: ['errors'],
    },
    example: { errors: { rupa_id: ['The rupa id field is required.'] } },
  },
};

export const TOO_MANY_REQUESTS: DocumentedError = {
  name: 'TooManyRequests',
  status: 429,
  description: 'A partner exceeded its calls per second, or an address failed authentication too often.',
  message: 'Too many requests. Retry after the time in the Retry-After header.',
  headers: ['Retry-After'],
};

export const SERVER_ERROR: DocumentedError = {
  name: 'ServerError',
  status: 500,
  description: 'An unexpected error in the service. The charge of a lookup is refunded. Retry with backoff.',
  message: 'Something went wrong on our side. Please retry with backoff.',
};

export const UNAVAILABLE: DocumentedError = {
  name: 'Unavailable',
  status: 503,
  description: 'A store of the service does not respond in time. Retry with backoff.',
  message: 'The service is busy. Please retry with backoff.',
  headers: ['Retry-After'],
};

export const NOT_YET_IN_FORCE: DocumentedError = {
  name: 'NotYetInForce',
  status: 503,
  description:
    'The change is recorded, but instances may go on using the state before it; the message says what to do. Or a store of the service does not respond in time, and the message says that the service is busy.',
  message:
    'The change is recorded, but not yet in force. The read models do not show it yet. It takes effect as soon as the read models have caught up. Send the same request again to check that.',
  headers: ['Retry-After'],
};
