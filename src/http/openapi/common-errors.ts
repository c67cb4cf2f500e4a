import { type DocumentedError } from './errors.js';

// Errors that any route may return.

export const INVALID_JSON: DocumentedError = {
  name: 'InvalidJson',
  codes: ['malformed_json', 'malformed_request'],
  description: 'The body is not valid JSON, or the request is not valid HTTP.',
};

export const UNAUTHORIZED: DocumentedError = {
  name: 'Unauthorized',
  codes: ['api_key_missing', 'api_key_invalid'],
  description: 'The API key is missing, mistyped, unknown or deactivated. The WWW-Authenticate header says which.',
  headers: ['WWW-Authenticate'],
};

export const ADMIN_UNAUTHORIZED: DocumentedError = {
  name: 'AdminUnauthorized',
  codes: ['token_invalid'],
  description: 'The token is missing or invalid.',
  headers: ['WWW-Authenticate'],
};

export const FORBIDDEN: DocumentedError = {
  name: 'Forbidden',
  codes: ['api_key_not_linked', 'ip_not_allowed'],
  description: 'The key is not linked to a partner, or the caller’s address is not on the allow-list.',
};

export const ADMIN_FORBIDDEN: DocumentedError = {
  name: 'AdminForbidden',
  codes: ['role_not_allowed'],
  description: 'The role of the token does not allow this call: auditors may only read, and no personal data of farmers.',
};

export const BODY_TOO_LARGE: DocumentedError = {
  name: 'BodyTooLarge',
  codes: ['body_too_large'],
  description: 'The body is larger than 64 KiB, 1 MiB of a call with many items, or 8 MiB where it is a file. The message names the limit.',
};

export const NOT_JSON: DocumentedError = {
  name: 'NotJson',
  codes: ['unsupported_media_type'],
  description:
    'The Content-Type of the body is not application/json or one of those that the call takes, its charset is not utf-8, or the body has a Content-Encoding.',
};

export const INVALID: DocumentedError = {
  name: 'ValidationError',
  codes: ['validation_failed'],
  description:
    'A field is missing, invalid or unknown, a query parameter is, or the body or the query is not UTF-8. `data.errors` has the messages.',
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
  codes: ['rate_limited'],
  description:
    'A partner exceeded its calls per second or its calls with many items that run at once, or an address failed authentication too often.',
  headers: ['Retry-After'],
};

export const SERVER_ERROR: DocumentedError = {
  name: 'ServerError',
  codes: ['internal_error'],
  description: 'An unexpected error in the service. The charge of a lookup is refunded. Retry with backoff.',
};

/** Names the read model, if the error is about one. */
const BEHIND: NonNullable<DocumentedError['data']> = {
  schema: {
    type: 'object',
    properties: {
      read_model: {
        type: 'string',
        description: 'The read model that is behind the log, or that the call cannot use until an operator has mended it.',
      },
    },
    required: ['read_model'],
  },
  example: { read_model: 'wallet_entry' },
  optional: true,
};

export const UNAVAILABLE: DocumentedError = {
  name: 'Unavailable',
  codes: ['unavailable', 'history_missing', 'maintenance'],
  description:
    'A store of the service does not respond in time, or `data.read_model` does not show everything that the response needs: retry with backoff. If the message says that an operator has to act, retries fail until then. With the code `history_missing`, records that the call needs cannot be read until the operator has restored them. With the code `maintenance`, which only calls that change something get, the service accepts no changes at present; the message has the reason.',
  message: 'The read model wallet_entry does not show everything that this call needs yet. Please retry with backoff.',
  data: BEHIND,
  headers: ['Retry-After'],
};

export const NOT_YET_IN_FORCE: DocumentedError = {
  name: 'NotYetInForce',
  codes: ['unavailable', 'history_missing', 'maintenance'],
  description:
    'The change is recorded, but instances may go on using the state before it; the message says what to do. Or a store of the service does not respond in time, and the message says that the service is busy.',
  message:
    'The change is recorded, but not yet in force. The read model farmer_profile does not show it yet. It takes effect as soon as the read models have caught up. Send the same request again to check that.',
  data: { ...BEHIND, example: { read_model: 'farmer_profile' } },
  headers: ['Retry-After'],
};
