import { INVALID } from '../../http/openapi/common-errors.js';
import { type DocumentedError } from '../../http/openapi/errors.js';

export const STILL_RUNNING: DocumentedError = {
  name: 'StillRunning',
  codes: ['idempotency_in_progress'],
  description: 'A request with this Idempotency-Key is still running; retry shortly.',
};

export const KEYED_INVALID: DocumentedError = {
  ...INVALID,
  name: 'KeyedValidationError',
  codes: ['validation_failed', 'idempotency_key_reused'],
  description:
    'A field is missing or invalid, the body or the query is not UTF-8, or the Idempotency-Key was used with another request. `data.errors` has the messages.',
};
